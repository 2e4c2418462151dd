// SPDX-License-Identifier: Apache-2.0
//
// A stored seed: usable, damaged, or not for this source. A damaged seed is removed. One that another version, machine
// or user may use is kept.

struct StoredSeed {
  /// The image, if it can be used.
  private(set) var accepted: AcceptedImage?
  /// The reason it cannot be used; nil if it can.
  private(set) var problem: RemoraError?
  /// Whether the file is no longer needed after this check.
  private(set) var isSettled = true

  /// Reads the seed of a source; nil if there is none.
  init?(of dialect: any Dialect, _ name: StorageName, in storage: StorageDirectory) {
    let path = storage.path(of: .seed(name))
    do throws(RemoraError) {
      guard let buffer = try storage.readSeed(name) else { return nil }
      guard !ImageFormat.isOtherFormat(buffer.bytes) else {
        isSettled = false
        throw RemoraError(.corrupt, "\(path) is from an incompatible version of Remora or an incompatible machine")
      }
      let found: Image
      do throws(RemoraError) {
        found = try Image(buffer)
      } catch {
        throw RemoraError(error.code, "\(path) is invalid and is removed: \(error.message)")
      }
      guard let accepted = AcceptedImage(found, acceptedBefore: dialect) else {
        isSettled = false
        throw RemoraError(.corrupt, "\(path) belongs to another source")
      }
      self.accepted = accepted
    } catch {
      // A file that cannot be read now may be readable later.
      if error.code != .corrupt { isSettled = false }
      problem = error
    }
  }

  /// Removes the seed, unless an installer has stored another one since, or is about to.
  func remove(of dialect: any Dialect, with filesLock: SourceLock) throws(RemoraError) {
    let (directory, name) = (filesLock.directory, filesLock.name)
    guard let seedLock = try directory.tryLock(name.ofSeed) else { return }
    defer { seedLock.unlock() }
    let now = StoredSeed(of: dialect, name, in: directory)
    guard let now, now.isSettled, now.accepted?.image.checksum == accepted?.image.checksum else { return }
    try seedLock.removeSeed(of: name)
  }
}
