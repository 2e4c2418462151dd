// SPDX-License-Identifier: Apache-2.0
//
// Compiles packaged data, or maps the image that an earlier opening has stored for the same bytes.
// Invariant: readers cannot distinguish a stored image from one that was compiled just now. If it cannot be stored or
// read, the data is compiled.

struct PackagedCompilation {
  private let dialect: any PackagedDialect
  private let services: ClientServices
  /// The directory of its image; nil if none is stored.
  private let storage: StorageDirectory?
  private let name: StorageName

  init(_ dialect: any PackagedDialect, _ services: ClientServices, isMemoryOnly: Bool = false) {
    self.dialect = dialect
    self.services = services
    storage = isMemoryOnly ? nil : services.followedStorage().directory
    name = StorageName(hashing: dialect.identity)
  }

  /// Returns the packaged data as an image; stores a large one for the next opening.
  ///
  /// - Throws: The errors of `PackagedDialect.compile`.
  func image(of data: PackagedData) throws(RemoraError) -> PackagedImage {
    guard let storage else { return try dialect.compile(data, hashSeed: services.hashSeed) }
    if let digest = data.digest, let stored = stored(digest, in: storage) { return stored }
    // The file may have changed since its digest was computed, so the digest of these bytes is the one that counts.
    let (bytes, source) = try data.read()
    let compiled = try dialect.compile(bytes, named: source, hashSeed: services.hashSeed)
    return PackagedData.bytes(bytes).digest.flatMap { store(compiled, $0, in: storage) } ?? compiled
  }

  /// Returns the stored image; nil if there is none, or it cannot be used.
  private func stored(_ digest: String, in storage: StorageDirectory) -> PackagedImage? {
    do throws(RemoraError) {
      guard let file = try storage.readPackaged(name, digest: digest) else { return nil }
      return try PackagedImage(file: file, of: dialect.identity)
    } catch {
      services.note(
        .debug, of: dialect,
        "the stored copy of the packaged data cannot be used, so the data is parsed again: \(error.message)")
      return nil
    }
  }

  /// Stores an image; nil if that is impossible, or another process is storing one.
  private func store(_ compiled: PackagedImage, _ digest: String, in storage: StorageDirectory) -> PackagedImage? {
    do throws(RemoraError) {
      guard let filesLock = try storage.tryLock(name.ofPackaged) else { return nil }
      defer { filesLock.unlock() }
      let file = try filesLock.commitPackaged(compiled.fileParts(), digest: digest, of: name)
      return try PackagedImage(file: file, of: dialect.identity)
    } catch {
      services.note(
        .debug, of: dialect, "the parsed packaged data cannot be stored, and is kept in memory: \(error.message)")
      return nil
    }
  }
}
