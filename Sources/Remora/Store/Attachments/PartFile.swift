// SPDX-License-Identifier: Apache-2.0
//
// A partially downloaded attachment: in a file of the storage directory, or in memory if there is no directory.
// Invariant: the bytes are a prefix of the attachment, without gaps; nothing is written without the lock.

internal import Glibc

/// An open part file. Safe to use from any thread, but by one writer at a time.
///
/// It holds the attachment's lock, which is released no later than the last reference to this object. The number of
/// written bytes is not stored here; the file system knows it.
package final class PartFile: Sendable {
  package let name: AttachmentName
  /// The lock that permits writing; nil for a part in memory.
  let lock: SourceLock?
  private let descriptor: FileDescriptor
  private let calls: SystemCalls

  /// Creates a part in a storage directory.
  init(_ name: AttachmentName, _ descriptor: consuming FileDescriptor, under lock: SourceLock) {
    self.name = name
    self.lock = lock
    descriptor.keep()
    self.descriptor = descriptor
    calls = lock.directory.calls
  }

  private init(inMemory name: AttachmentName, _ descriptor: consuming FileDescriptor, _ calls: SystemCalls) {
    self.name = name
    lock = nil
    descriptor.keep()
    self.descriptor = descriptor
    self.calls = calls
  }

  /// Creates a part without a storage directory. Its memory is freed with the part and its images.
  ///
  /// - Throws: `.storage` if the system has no memory or no descriptor left.
  package static func inMemory(_ name: AttachmentName, calls: SystemCalls = .real) throws(RemoraError) -> PartFile {
    let opened = uninterrupted { calls.files.openMemory() }
    guard opened >= 0 else { throw .storage("open", memoryPath(name), errno: -opened) }
    return PartFile(inMemory: name, FileDescriptor(adopting: opened, calls), calls)
  }

  /// Whether the bytes are in memory, so that the part cannot be installed.
  package var isInMemory: Bool { lock == nil }

  /// The number of bytes in the part.
  package var count: Int {
    let status = calls.files.status(descriptor.number)
    return status.failure == 0 ? status.size : 0
  }

  /// Writes bytes at an offset, which must not be beyond the end; returns 0 or a negative errno. Everything after the
  /// offset is removed first. EBADF means that the lock is no longer held, as in a forked child, or that the host has
  /// closed the file.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    guard mayWrite else { return -EBADF }
    let count = count
    guard offset >= 0, offset <= count else { return -EINVAL }
    if offset < count {
      let cut = uninterrupted { calls.files.truncate(descriptor.number, offset) }
      guard cut == 0 else { return cut }
    }
    return descriptor.write(bytes, at: offset, calls)
  }

  /// Removes everything after an offset.
  ///
  /// Images of the part must be released before: readers of a mapping would lose the memory.
  ///
  /// - Throws: `.storage`; `.internal` without the lock.
  package func truncate(to count: Int) throws(RemoraError) {
    guard mayWrite else { throw .lockNotHeld(path) }
    let cut = uninterrupted { calls.files.truncate(descriptor.number, count) }
    guard cut == 0 else { throw .storage("truncate", path, errno: -cut) }
  }

  /// Maps the bytes of the part. They stay readable after the part is installed or discarded.
  ///
  /// - Throws: `.tooLarge`, `.corrupt`, `.storage`.
  package func load() throws(RemoraError) -> ImageBuffer {
    try descriptor.load(path, mayMap: true, calls)
  }

  func sync() throws(RemoraError) {
    let synced = uninterrupted { calls.files.sync(descriptor.number) }
    guard synced == 0 else { throw .storage("sync", path, errno: -synced) }
  }

  /// The location of the bytes, for messages.
  package var path: String { lock?.directory.path(of: .part(name)) ?? memoryPath(name) }

  private var mayWrite: Bool { lock?.isHeld != false }
}

private func memoryPath(_ name: AttachmentName) -> String { "(memory)/\(name.hex)" }
