// SPDX-License-Identifier: Apache-2.0
//
// A file that is whole and on the disk, and waits for its name. Writing it needs no lock; see docs/storage.md.

internal import Glibc

/// What may be stored as an image of a source. `AcceptedImage` is, and no other type of the library: what was not verified
/// as its source demands has no way to a file.
package protocol StorableImage {
  /// The bytes of its file.
  var buffer: ImageBuffer { get }
}

/// A file of a source that was written and synced under a temporary name. It is removed with its last reference, unless
/// it received its name.
package final class WrittenFile: Sendable {
  let source: StorageName
  let directory: StorageDirectory
  let temporary: StoredFile
  /// Its bytes, from the file.
  let content: ImageBuffer

  /// Writes an image to a new file.
  ///
  /// - Throws: `.storage` with the system's words; nothing is left then.
  package convenience init(
    _ image: some StorableImage, of source: StorageName, in directory: StorageDirectory
  ) throws(RemoraError) {
    try self.init(writing: image.buffer, of: source, in: directory)
  }

  /// The same with the overrides of a source, which the host itself set.
  convenience init(
    overrides: ImageBuffer, of source: StorageName, in directory: StorageDirectory
  ) throws(RemoraError) {
    try self.init(writing: overrides, of: source.ofOverrides, in: directory)
  }

  private init(
    writing buffer: ImageBuffer, of source: StorageName, in directory: StorageDirectory
  ) throws(RemoraError) {
    defer { withExtendedLifetime(buffer) {} }
    let temporary = StoredFile.newTemporary(source, directory.calls)
    (self.source, self.directory, self.temporary) = (source, directory, temporary)
    directory.registry.beginWriting(temporary.fileName, in: directory.locks)
    do throws(RemoraError) {
      content = try directory.write(buffer.bytes, to: temporary)
    } catch {
      directory.registry.endWriting(temporary.fileName, in: directory.locks)
      throw error
    }
  }

  deinit {
    // Not in a forked child, which writes nothing: the file is the parent's.
    guard directory.registry.isWriting(temporary.fileName, in: directory.locks) else { return }
    directory.registry.endWriting(temporary.fileName, in: directory.locks)
    if let number = directory.number { _ = directory.calls.remove(number, temporary.fileName) }
  }

  /// Notes that it has its name.
  func noteNamed() { directory.registry.endWriting(temporary.fileName, in: directory.locks) }
}

extension StorageDirectory {
  /// Writes and syncs a new file, which goes when that fails. An fsync that failed is never tried again on the same file,
  /// because the system may have dropped the pages and would report success.
  fileprivate func write(
    _ bytes: UnsafeRawBufferPointer, to temporary: StoredFile
  ) throws(RemoraError) -> ImageBuffer {
    let directory = try writableNumber()
    let opened = uninterrupted { calls.open(directory, temporary.fileName, O_RDWR | O_CREAT | O_EXCL) }
    guard opened >= 0 else { throw failure("create", temporary, opened) }
    let descriptor = FileDescriptor(adopting: opened, calls)
    do throws(RemoraError) {
      try giveToOwner(opened, temporary)
      let written = descriptor.write(bytes, at: 0, calls)
      guard written == 0 else { throw failure("write", temporary, written) }
      let synced = uninterrupted { calls.sync(opened) }
      guard synced == 0 else { throw failure("sync", temporary, synced) }
      return try load(descriptor, temporary)
    } catch {
      _ = calls.remove(directory, temporary.fileName)
      throw error
    }
  }
}
