// SPDX-License-Identifier: Apache-2.0
//
// Reads images, overrides, seeds and attachments: checks each file, then maps it or copies it to memory. The content of
// the files is not interpreted here. Safe in any thread and process, without a lock.

internal import Glibc

extension StorageDirectory {
  /// Reads the image in a slot; nil if the slot is empty.
  ///
  /// While another process commits or promotes an image, the live file is absent for a moment; after a crash it may be
  /// absent for longer. `previous` is the former live image then.
  ///
  /// - Throws: `.permission` unless the file is a regular file of this user that others cannot write; `.tooLarge`;
  ///   `.corrupt` if the file shrinks while it is read; `.storage`; `.unavailable` without memory.
  package func readImage(_ name: StorageName, _ slot: ImageSlot) throws(RemoraError) -> ImageBuffer? {
    let file = StoredFile.image(name, slot)
    guard let opened = try openTrusted(file, O_RDONLY) else { return nil }
    return try load(opened, file)
  }

  /// Reads the overrides of a source; nil if none are stored.
  ///
  /// - Throws: See `readImage`.
  package func readOverrides(_ name: StorageName) throws(RemoraError) -> ImageBuffer? {
    let file = StoredFile.overrides(name)
    guard let opened = try openTrusted(file, O_RDONLY) else { return nil }
    return try load(opened, file)
  }

  /// Reads the image of packaged data and marks it as used; nil if none is stored for this digest.
  ///
  /// - Throws: See `readImage`.
  package func readPackaged(_ name: StorageName, digest: String) throws(RemoraError) -> ImageBuffer? {
    let file = StoredFile.packaged(name, digest: digest)
    guard let opened = try openTrusted(file, O_RDONLY) else { return nil }
    let content = try load(opened, file)
    // A hint for the sweep; errors are ignored.
    if let number, !isReadOnly { _ = calls.directories.touch(number, file.fileName, nowMs) }
    return content
  }

  /// Reads the seed of a source; nil if none is stored. The file may also belong to root, and have a second name.
  ///
  /// - Throws: `.permission` unless the file is a regular file of this user or root that others cannot write;
  ///   `.tooLarge`; `.corrupt` if the file shrinks while it is read; `.storage`.
  package func readSeed(_ name: StorageName) throws(RemoraError) -> ImageBuffer? {
    guard let number else { return nil }
    let file = StoredFile.seed(name)
    guard let opened = try openFile(file, O_RDONLY, judge: { $0.packagedFileProblem(in: status(of: number)) })
    else { return nil }
    return try opened.load(path(of: file), mayMap: false, calls)
  }

  /// Opens a stored attachment and marks it as used; nil if it is not stored.
  ///
  /// Only the size is checked; the caller must verify the digest.
  ///
  /// - Parameters:
  ///   - bytes: The required size.
  ///   - nowMs: The time to mark the use with; nil means now.
  /// - Throws: `.corrupt` for another size; `.permission` unless the file is a regular file of this user that others
  ///   cannot write; `.tooLarge`; `.storage`.
  package func openAttachment(
    _ name: AttachmentName, bytes: Int, nowMs: Int64? = nil
  ) throws(RemoraError) -> ImageBuffer? {
    let file = StoredFile.attachment(name)
    guard let opened = try openTrusted(file, O_RDONLY) else { return nil }
    let size = status(of: opened.number).size
    guard size == bytes else {
      throw RemoraError(.corrupt, "\(path(of: file)) has \(size) bytes instead of \(bytes)")
    }
    // Unlike an image, always mapped, even if others can read the file: a copy could exhaust the host's memory.
    let content = try opened.load(path(of: file), mayMap: true, calls)
    // A hint for the sweep; errors are ignored.
    if let number { _ = calls.directories.touch(number, file.fileName, nowMs ?? self.nowMs) }
    return content
  }

  /// Returns the path of a stored attachment, whether or not the file exists.
  package func attachmentPath(_ name: AttachmentName) -> String { path(of: .attachment(name)) }

  /// Returns the images of the directory that may be read as data, by source and slot.
  package func storedImages() -> [(StorageName, ImageSlot)] {
    storedFiles().compactMap { file in
      guard case .image(let name, let slot) = file, slot != .rejected else { return nil }
      return (name, slot)
    }
  }

  /// Marks a source as used by touching the first of its files that exists; `sweep` keeps all files of a source if one
  /// was used. The live image comes last, because its time is that at which it became live: without a previous image it
  /// is kept anyway. Errors end the attempt, because the mark is only a hint.
  package func noteUse(of name: StorageName, nowMs: Int64) {
    guard let number else { return }
    for file in name.usedFiles where calls.directories.touch(number, file.fileName, nowMs) != -ENOENT { return }
  }

  /// Opens a file that only the directory's owner can write; nil if it is absent.
  func openTrusted(_ file: StoredFile, _ flags: Int32) throws(RemoraError) -> FileDescriptor? {
    try openFile(file, flags) { $0.fileProblem(of: owner) }
  }

  /// Opens a file; nil if it is absent. `judge` returns the reason the file may not be used, or nil to accept it.
  ///
  /// - Parameter repairs: Whether a file of this user that its group can write gets its mode back.
  func openFile(
    _ file: StoredFile, _ flags: Int32, repairs: Bool = true, judge: (FileStatus) -> String?
  ) throws(RemoraError) -> FileDescriptor? {
    guard let number else { return nil }
    let opened = uninterrupted { calls.directories.openFile(number, file.fileName, flags) }
    guard opened >= 0 else {
      switch -opened {
      case ENOENT: return nil
      case ELOOP, ENXIO, EISDIR, ENODEV: throw .permission(path(of: file), "is not a regular file")
      default: throw failure("open", file, opened)
      }
    }
    let descriptor = FileDescriptor(adopting: opened, calls)
    let found = status(of: opened)
    guard found.failure == 0 else { throw failure("open", file, -found.failure) }
    let status = repairs ? repaired(opened, found) : found
    if let problem = judge(status) { throw .permission(path(of: file), problem) }
    return descriptor
  }

  /// Loads an open file: mapped if no other user can read it, else copied to memory.
  func load(_ descriptor: borrowing FileDescriptor, _ file: StoredFile) throws(RemoraError) -> ImageBuffer {
    let isPrivate = isPrivate && status(of: descriptor.number).isPrivate
    return try descriptor.load(path(of: file), mayMap: isPrivate, calls)
  }

  /// Whether only the owner can enter the directory at present.
  private var isPrivate: Bool {
    guard let number else { return false }
    let status = status(of: number)
    return status.failure == 0 && status.isPrivate
  }

  /// Restores the mode of a file of this user that its group can write. Kubelet changes modes so, for a volume with an
  /// fsGroup. Returns the new status, which is unchanged if that is not possible.
  func repaired(_ file: Int32, _ status: FileStatus) -> FileStatus {
    guard !isReadOnly, !isAnothers, status.owner.user == owner.user, status.isRegularFile, status.links == 1,
      status.isWritableByGroupOnly, calls.files.changeMode(file, 0o600) == 0
    else { return status }
    descriptor?.note(.modes)
    return self.status(of: file)
  }
}

extension FileDescriptor {
  /// Loads the content of the file: mapped if allowed and possible, else copied to memory.
  ///
  /// - Parameter path: The path for messages.
  /// - Throws: `.tooLarge`; `.corrupt` if the file shrinks while it is read; `.storage`; `.unavailable` without memory.
  func load(_ path: String, mayMap: Bool, _ calls: SystemCalls) throws(RemoraError) -> ImageBuffer {
    let status = calls.files.status(number)
    guard status.failure == 0 else { throw .storage("read", path, errno: status.failure) }
    let size = status.size
    guard size <= StorageDirectory.maximumImageSize else { throw .imageTooLarge(path, bytes: size) }
    if size > 0, mayMap, let memory = calls.files.map(number, size) {
      return ImageBuffer(adopting: memory, length: size, ownership: .mapped, of: status.version)
    }
    guard let memory = malloc(max(size, 1)) else {
      throw .outOfMemory(for: "the \(size) bytes of \(path)")
    }
    let content = ImageBuffer(adopting: memory, length: size, ownership: .allocated, of: status.version)
    let count = read(into: UnsafeMutableRawBufferPointer(start: memory, count: size), at: 0, calls)
    if count < 0 { throw .storage("read", path, errno: -Int32(clamping: count)) }
    if count < size { throw RemoraError(.corrupt, "\(path) shrank while it was read") }
    return content
  }
}

extension StorageName {
  /// The files of a source of which the first one that exists is touched when the source is used.
  var usedFiles: [StoredFile] {
    [.ledger(self), .overrides(self)]
      + [ImageSlot.staged, .previous, .rejected, .live].map { .image(self, $0) }
  }
}
