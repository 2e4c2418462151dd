// SPDX-License-Identifier: Apache-2.0
//
// A complete file on disk that does not have its final name yet. Writing it needs no lock; see docs/storage.md.

internal import Glibc

/// An image that may be stored as the image of a source. `AcceptedImage` is the only type in the library that conforms,
/// so unverified data cannot be stored. Swift cannot limit who conforms, so a test does: Tests/Layers/test_layers.py.
package protocol StorableImage {
  var buffer: ImageBuffer { get }
}

/// A file of a source that was written under a temporary name. It is removed with the last reference to this
/// object, unless it received its final name.
package final class WrittenFile: Sendable {
  let source: StorageName
  let directory: StorageDirectory
  let temporary: StoredFile
  /// The content, loaded from the file.
  let content: ImageBuffer

  /// Writes an image to a new file.
  ///
  /// - Throws: `.storage` with the system's message; no file is left then.
  package convenience init(
    _ image: some StorableImage, of source: StorageName, in directory: StorageDirectory
  ) throws(RemoraError) {
    try self.init(writing: [image.buffer], of: source, in: directory)
  }

  /// Writes the overrides of a source, which the host has set, to a new file.
  convenience init(
    overrides: ImageBuffer, of source: StorageName, in directory: StorageDirectory
  ) throws(RemoraError) {
    try self.init(writing: [overrides], of: source.ofOverrides, in: directory)
  }

  /// Writes the image of packaged data to a new file, without a sync: the packaged data can be compiled again.
  convenience init(
    packaged parts: [ImageBuffer], of source: StorageName, in directory: StorageDirectory
  ) throws(RemoraError) {
    try self.init(writing: parts, of: source.ofPackaged, in: directory, isSynced: false)
  }

  private init(
    writing parts: [ImageBuffer], of source: StorageName, in directory: StorageDirectory, isSynced: Bool = true
  ) throws(RemoraError) {
    let temporary = StoredFile.newTemporary(source, directory.calls)
    (self.source, self.directory, self.temporary) = (source, directory, temporary)
    directory.lockFiles.beginWriting(temporary.fileName, in: directory.locks)
    do throws(RemoraError) {
      content = try directory.write(parts, to: temporary, isSynced: isSynced)
    } catch {
      directory.lockFiles.endWriting(temporary.fileName, in: directory.locks)
      throw error
    }
  }

  deinit {
    // Skipped in a forked child: the file belongs to the parent.
    guard directory.lockFiles.isWriting(temporary.fileName, in: directory.locks) else { return }
    directory.lockFiles.endWriting(temporary.fileName, in: directory.locks)
    if let number = directory.number { _ = directory.calls.directories.remove(number, temporary.fileName) }
  }

  /// Notes that the file received its final name.
  func noteNamed() { directory.lockFiles.endWriting(temporary.fileName, in: directory.locks) }
}

extension StorageDirectory {
  /// Writes a new file from consecutive parts, syncs it if wanted, and removes it on failure. A failed fsync is never
  /// retried on the same file, because the system may have dropped the pages and would report success.
  fileprivate func write(
    _ parts: [ImageBuffer], to temporary: StoredFile, isSynced: Bool
  ) throws(RemoraError) -> ImageBuffer {
    defer { withExtendedLifetime(parts) {} }
    let directory = try writableNumber()
    let opened = uninterrupted { calls.directories.openFile(directory, temporary.fileName, O_RDWR | O_CREAT | O_EXCL) }
    guard opened >= 0 else { throw failure("create", temporary, opened) }
    let descriptor = FileDescriptor(adopting: opened, calls)
    do throws(RemoraError) {
      try giveToOwner(opened, temporary)
      var end = 0
      for part in parts {
        let written = descriptor.write(part.bytes, at: end, calls)
        guard written == 0 else { throw failure("write", temporary, written) }
        end &+= part.bytes.count
      }
      let synced = isSynced ? uninterrupted { calls.files.sync(opened) } : 0
      guard synced == 0 else { throw failure("sync", temporary, synced) }
      return try load(descriptor, temporary)
    } catch {
      _ = calls.directories.remove(directory, temporary.fileName)
      throw error
    }
  }
}
