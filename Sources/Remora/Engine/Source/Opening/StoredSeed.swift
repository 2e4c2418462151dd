// SPDX-License-Identifier: Apache-2.0
//
// A seed as it was found: to be used, damaged for everybody, or no business of ours. What is damaged goes; what another
// version, machine or user may have a use for stays where it is.

/// What the file of a source's seed is good for.
struct StoredSeed {
  /// The image, when it may be used.
  private(set) var accepted: AcceptedImage?
  /// Why it may not.
  private(set) var problem: RemoraError?
  /// Whether nobody needs the file once its image was looked at.
  private(set) var isSettled = true

  /// Reads the seed of a source; nil when there is none.
  init?(of dialect: any Dialect, _ name: StorageName, in storage: StorageDirectory) {
    let path = storage.path(of: .seed(name))
    do throws(RemoraError) {
      guard let buffer = try storage.readSeed(name) else { return nil }
      guard !ImageFormat.isForeign(buffer.bytes) else {
        isSettled = false
        throw RemoraError(.corrupt, "\(path) was made by another version or machine")
      }
      let found: Image
      do throws(RemoraError) {
        found = try Image(buffer)
      } catch {
        throw RemoraError(error.code, "\(path) is removed: \(error.message)")
      }
      guard let accepted = AcceptedImage(found, acceptedBefore: dialect) else {
        isSettled = false
        throw RemoraError(.corrupt, "\(path) belongs to another source")
      }
      self.accepted = accepted
    } catch {
      // Unreadable now is not unreadable for ever.
      if error.code != .corrupt { isSettled = false }
      problem = error
    }
  }

  /// Removes the seed, unless an installer has brought another since, or is about to.
  func remove(of dialect: any Dialect, with filesLock: SourceLock) throws(RemoraError) {
    let (directory, name) = (filesLock.directory, filesLock.name)
    guard let seedLock = try directory.tryLock(name.ofSeed) else { return }
    defer { seedLock.unlock() }
    let now = StoredSeed(of: dialect, name, in: directory)
    guard let now, now.isSettled, now.accepted?.image.checksum == accepted?.image.checksum else { return }
    try seedLock.removeSeed(of: name)
  }
}

extension StorageDirectory {
  /// Puts a seed's image where the next opening of its source finds it. Waits at most 5 s for another installer.
  ///
  /// - Throws: `.storage`, `.permission`, `.tooLarge`; an older seed stays.
  package func saveSeed(_ accepted: AcceptedImage, runtime: Runtime = .shared) throws(RemoraError) {
    let name = StorageName(hashing: accepted.image.metadata.identity)
    runtime.lock.withLock { runtime.handleForks($0) }
    let taken = try runtime.lock.waitForFiles(of: name.ofSeed, in: self, withinMs: 5000)
    guard let seedLock = taken else { throw .busySeed }
    defer { seedLock.unlock() }
    try accepted.commitSeed(of: name, seedLock)
  }
}
