// SPDX-License-Identifier: Apache-2.0
//
// The bytes of an attachment while they come: in a file of the storage directory, or in memory without one.
// Invariant: the bytes are a prefix of what is to come, without gaps; and nothing is written without the lock.

internal import Glibc

/// An open part file. Safe from any thread; one thread writes at a time.
///
/// It holds the lock of its attachment, which therefore ends, when nobody ends it before, with the last reference to
/// this object. Nothing is kept here of how much was written: the system knows.
package final class PartFile: Sendable {
  /// The attachment.
  package let name: AttachmentName
  /// The right to write; nil for a part in memory.
  let lock: SourceLock?
  private let descriptor: FileDescriptor
  private let calls: SystemCalls

  /// A part in a storage directory.
  init(_ name: AttachmentName, _ descriptor: consuming FileDescriptor, under lock: SourceLock) {
    self.name = name
    self.lock = lock
    self.descriptor = descriptor
    calls = lock.directory.calls
  }

  private init(inMemory name: AttachmentName, _ descriptor: consuming FileDescriptor, _ calls: SystemCalls) {
    self.name = name
    lock = nil
    self.descriptor = descriptor
    self.calls = calls
  }

  /// Makes a part without a storage directory; its memory goes with the part and its images.
  ///
  /// - Throws: `.storage` when the system has no memory or descriptor to give.
  package static func inMemory(_ name: AttachmentName, calls: SystemCalls = .real) throws(RemoraError) -> PartFile {
    let opened = uninterrupted { calls.openMemory() }
    guard opened >= 0 else { throw .storage("open", memoryPath(name), errno: -opened) }
    return PartFile(inMemory: name, FileDescriptor(adopting: opened, calls), calls)
  }

  /// Whether the bytes are in memory, and can never be installed.
  package var isInMemory: Bool { lock == nil }

  /// Bytes that are there.
  package var count: Int {
    let status = calls.fileStatus(descriptor.number)
    return status.failure == 0 ? status.size : 0
  }

  /// Writes bytes at an offset: 0 or a negative errno. What is behind the offset is cut off first; there is no offset
  /// behind the end. EBADF means that the lock is not held any more, as in a forked child.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    guard mayWrite else { return -EBADF }
    let count = count
    guard offset >= 0, offset <= count else { return -EINVAL }
    if offset < count {
      let cut = uninterrupted { calls.truncate(descriptor.number, offset) }
      guard cut == 0 else { return cut }
    }
    return descriptor.write(bytes, at: offset, calls)
  }

  /// Cuts off what is behind an offset.
  ///
  /// An image of the part must be gone before: it would lose memory that somebody may be reading.
  ///
  /// - Throws: `.storage`; `.internal` without the lock.
  package func truncate(to count: Int) throws(RemoraError) {
    guard mayWrite else { throw .lockNotHeld(path) }
    let cut = uninterrupted { calls.truncate(descriptor.number, count) }
    guard cut == 0 else { throw .storage("truncate", path, errno: -cut) }
  }

  /// The bytes that are there, mapped. They stay readable after the part is installed or discarded.
  ///
  /// - Throws: `.tooLarge`, `.corrupt`, `.storage`.
  package func load() throws(RemoraError) -> ImageBuffer {
    try descriptor.load(path, mayMap: true, calls)
  }

  /// Waits until the bytes survive a power cut.
  func sync() throws(RemoraError) {
    let synced = uninterrupted { calls.sync(descriptor.number) }
    guard synced == 0 else { throw .storage("sync", path, errno: -synced) }
  }

  /// Where the bytes are, for messages.
  package var path: String { lock?.directory.path(of: .part(name)) ?? memoryPath(name) }

  private var mayWrite: Bool { lock?.isHeld != false }
}

private func memoryPath(_ name: AttachmentName) -> String { "(memory)/\(name.hex)" }
