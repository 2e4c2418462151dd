// SPDX-License-Identifier: Apache-2.0
//
// Images, overrides, seeds and attachments on their way from a file to memory: checked, then mapped or read.
// Nothing here knows what a file contains. Safe from any thread and process, without a lock.

internal import Glibc

extension StorageDirectory {
  /// The image in a slot; nil when there is none.
  ///
  /// While a commit or a promotion is under way in another process, `live` can be absent for a moment and after a
  /// crash for longer; `previous` is then the one that was live.
  ///
  /// - Throws: `.permission` for anything but a plain file of our own that others cannot write; `.tooLarge`;
  ///   `.corrupt` when the file shrinks while it is read; `.storage`.
  package func readImage(_ name: StorageName, _ slot: ImageSlot) throws(RemoraError) -> ImageBuffer? {
    let file = StoredFile.image(name, slot)
    guard let opened = try openTrusted(file, O_RDONLY) else { return nil }
    return try load(opened, file)
  }

  /// The overrides of a source; nil when there are none.
  ///
  /// - Throws: As `readImage`.
  package func readOverrides(_ name: StorageName) throws(RemoraError) -> ImageBuffer? {
    let file = StoredFile.overrides(name)
    guard let opened = try openTrusted(file, O_RDONLY) else { return nil }
    return try load(opened, file)
  }

  /// The seed of a source in memory; nil when there is none. It may also be root's, and have a second name.
  ///
  /// - Throws: `.permission` for anything but a plain file of ours or root's that others cannot write; `.tooLarge`;
  ///   `.corrupt` when the file shrinks while it is read; `.storage`.
  package func readSeed(_ name: StorageName) throws(RemoraError) -> ImageBuffer? {
    guard let number else { return nil }
    let file = StoredFile.seed(name)
    guard let opened = try openFile(file, O_RDONLY, judge: { $0.packagedFileProblem(in: status(of: number)) })
    else { return nil }
    return try opened.load(path(of: file), mayMap: false, calls)
  }

  /// A stored attachment; nil when there is none. Notes that it is in use.
  ///
  /// Only the size is looked at: whether the bytes have the name's digest is for the caller to see.
  ///
  /// - Parameters:
  ///   - bytes: The size that it must have.
  ///   - nowMs: The time that marks the use; nil is now.
  /// - Throws: `.corrupt` for another size; `.permission` for anything but a plain file of our own that others cannot
  ///   write; `.tooLarge`; `.storage`.
  package func openAttachment(
    _ name: AttachmentName, bytes: Int, nowMs: Int64? = nil
  ) throws(RemoraError) -> ImageBuffer? {
    let file = StoredFile.attachment(name)
    guard let opened = try openTrusted(file, O_RDONLY) else { return nil }
    let size = status(of: opened.number).size
    guard size == bytes else {
      throw RemoraError(.corrupt, "\(path(of: file)) has \(size) bytes instead of \(bytes)")
    }
    // Mapped whoever can read it, other than an image: a copy could take all of the host's memory.
    let content = try opened.load(path(of: file), mayMap: true, calls)
    // A hint for the sweep; failures do not matter.
    if let number { _ = calls.touch(number, file.fileName, nowMs ?? self.nowMs) }
    return content
  }

  /// The path of a stored attachment, whether it is there or not.
  package func attachmentPath(_ name: AttachmentName) -> String { path(of: .attachment(name)) }

  /// The images of the directory, by source and slot.
  package func storedImages() -> [(StorageName, ImageSlot)] {
    storedFiles().compactMap { file in
      guard case .image(let name, let slot) = file else { return nil }
      return (name, slot)
    }
  }

  /// Notes that a source is in use, on the first of its files that is there: `sweep` keeps all files of a source for
  /// the sake of one. Failures do not matter: it is a hint.
  package func noteUse(of name: StorageName, nowMs: Int64) {
    guard let number else { return }
    for file in [StoredFile.image(name, .live), .ledger(name), .image(name, .staged), .overrides(name)]
    where calls.touch(number, file.fileName, nowMs) >= 0 { return }
  }

  /// Opens a file that is ours alone; nil when it is absent.
  func openTrusted(_ file: StoredFile, _ flags: Int32) throws(RemoraError) -> FileDescriptor? {
    try openFile(file, flags) { $0.fileProblem(of: owner) }
  }

  /// Opens a file that may be used as `judge` finds, which answers why not; nil when it is absent.
  func openFile(
    _ file: StoredFile, _ flags: Int32, judge: (FileStatus) -> String?
  ) throws(RemoraError) -> FileDescriptor? {
    guard let number else { return nil }
    let opened = uninterrupted { calls.open(number, file.fileName, flags) }
    guard opened >= 0 else {
      switch -opened {
      case ENOENT: return nil
      case ELOOP, ENXIO, EISDIR, ENODEV: throw .permission(path(of: file), "is not a regular file")
      default: throw failure("open", file, opened)
      }
    }
    let descriptor = FileDescriptor(adopting: opened, calls)
    let status = status(of: opened)
    guard status.failure == 0 else { throw failure("open", file, -status.failure) }
    if let problem = judge(status) { throw .permission(path(of: file), problem) }
    return descriptor
  }

  /// The bytes of an open file: mapped when nobody else can even read it, else copied into memory.
  func load(_ descriptor: borrowing FileDescriptor, _ file: StoredFile) throws(RemoraError) -> ImageBuffer {
    let isPrivate = isPrivate && status(of: descriptor.number).isPrivate
    return try descriptor.load(path(of: file), mayMap: isPrivate, calls)
  }

  /// Whether only the owner may enter the directory, as of now.
  private var isPrivate: Bool {
    guard let number else { return false }
    let status = status(of: number)
    return status.failure == 0 && status.isPrivate
  }
}

extension FileDescriptor {
  /// The bytes of the file: mapped when that is allowed and works, else copied into memory.
  ///
  /// - Parameter path: For messages.
  /// - Throws: `.tooLarge`; `.corrupt` when the file shrinks while it is read; `.storage`.
  func load(_ path: String, mayMap: Bool, _ calls: SystemCalls) throws(RemoraError) -> ImageBuffer {
    let status = calls.fileStatus(number)
    guard status.failure == 0 else { throw .storage("read", path, errno: status.failure) }
    let size = status.size
    guard size <= StorageDirectory.maximumImageSize else { throw .imageTooLarge(path, bytes: size) }
    if size > 0, mayMap, let memory = calls.map(number, size) {
      return ImageBuffer(adopting: memory, length: size, ownership: .mapped)
    }
    guard let memory = malloc(max(size, 1)) else { throw .imageTooLarge(path, bytes: size) }
    let content = ImageBuffer(adopting: memory, length: size, ownership: .allocated)
    let count = read(into: UnsafeMutableRawBufferPointer(start: memory, count: size), at: 0, calls)
    if count < 0 { throw .storage("read", path, errno: -Int32(clamping: count)) }
    if count < size { throw RemoraError(.corrupt, "\(path) shrank while it was read") }
    return content
  }
}
