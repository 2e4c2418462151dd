// SPDX-License-Identifier: Apache-2.0
//
// Compiles a document, which an installer downloaded, to the image of a seed. The document is decoded and verified by
// the rules of its source, so that the host need do neither when it opens the seed.

/// Compiles, downloads and saves the seeds of sources: data that an installer stores before the first start.
package struct Seeds: Sendable {
  let runtime: Runtime

  package init(_ runtime: Runtime = .shared) { self.runtime = runtime }

  /// Compiles a seed from a file, and saves it in a storage directory. A refused seed does not create the directory.
  ///
  /// - Parameters:
  ///   - fetchedAtMs: The time of the download; 0 means the modification time of the file.
  ///   - directory: The storage directory; nil for a client that keeps everything in memory, which has no seeds.
  ///   - log: Receives the warnings about ignored parts of the document, on the calling thread, because there is no
  ///     client whose delivery could call it.
  /// - Throws: The errors of `compile` and the other `save`; `.invalidArgument` for a negative time, or
  ///   without a directory.
  package func save(
    of source: SeedSource, inFile path: String, limit: Int, fetchedAtMs: Int64, toDirectory directory: String?, log: Log
  ) throws(RemoraError) {
    guard let directory else {
      throw .invalidArgument("storage_dir", "is not a directory; a seed must be stored in one")
    }
    try requireNotNegative(fetchedAtMs, "fetched_at_ms")
    let seed = try compile(
      inFile: path, limit: limit, of: source.dialect, fetchedAtMs: fetchedAtMs == 0 ? nil : fetchedAtMs,
      notBeforeMs: Self.clockFloorMs(for: source.dialect, inDirectory: directory))
    try save(seed.accepted, in: StorageDirectory.open(path: directory, mayBeAnothers: true))
    for warning in seed.warnings { log.write(LogLine(.warning, of: source.dialect.label, warning)) }
  }

  /// Returns the clock floor that a directory has for the server of a source; 0 without one.
  package static func clockFloorMs(for dialect: any Dialect, inDirectory path: String) -> Int64 {
    guard let server = dialect.serverIdentity, let storage = try? StorageDirectory.openForReading(path: path) else {
      return 0
    }
    return storage.readServerLedger(StorageName(hashing: server))?.clockFloorMs ?? 0
  }

  /// Compiles a seed from a file.
  ///
  /// - Parameters:
  ///   - fetchedAtMs: The time of the download; nil means the modification time of the file.
  ///   - floor: The earliest time that is used to check certificates.
  /// - Throws: The errors of the other `compile`; `.storage` or `.permission` if the file cannot be read.
  package func compile(
    inFile path: String, limit: Int, of dialect: any Dialect, fetchedAtMs: Int64? = nil, notBeforeMs floor: Int64
  ) throws(RemoraError) -> (accepted: AcceptedImage, warnings: [String]) {
    let file = try WholeFile(path, limit: limit)
    return try compile(
      file.bytes, named: path, of: dialect, fetchedAtMs: fetchedAtMs ?? file.modifiedMs,
      nowMs: max(SystemClock().nowMs, floor))
  }

  /// Compiles a seed.
  ///
  /// - Parameters:
  ///   - name: The name of the document in messages.
  ///   - fetchedAtMs: The time of the download; a time in the future is unknown, and counts as the earliest one.
  /// - Returns: The image, and the warnings about ignored parts of the document.
  /// - Throws: `.parse`, `.format`, `.tooLarge`; the errors of a refused response; `.unavailable` if a signature is
  ///   required and libcrypto is missing.
  package func compile(
    _ bytes: [UInt8], named name: String, of dialect: any Dialect, fetchedAtMs: Int64, nowMs: Int64
  ) throws(RemoraError) -> (accepted: AcceptedImage, warnings: [String]) {
    let document = try bytes.withBytes { bytes throws(RemoraError) in try dialect.decodeSeed(bytes, named: name) }
    if dialect.versions == .fetchTimes, document.entries.isEmpty {
      throw .format(name, "is an empty dictionary, which cannot be a seed: it would hide all other settings")
    }
    let draft = Draft(full: document)
    let verified = try verify(draft, dialect, nowMs: nowMs)
    let limits = VersionLimits(floor: 0, rule: dialect.versions)
    let content = try limits.judgeSeed(verified, fetchedAtMs: fetchedAtMs, nowMs: nowMs)
    return (try AcceptedImage(compiling: content, of: dialect, hashSeed: runtime.hashSeed), document.warnings)
  }

  private func verify(_ draft: Draft, _ dialect: any Dialect, nowMs: Int64) throws(RemoraError) -> Verified {
    guard dialect.policy != .off else { return try verifySeed(draft, dialect, chains: ChainCache(), atMs: nowMs) }
    try runtime.lock.withLock { locked throws(RemoraError) in
      runtime.handleForks(locked)
      try runtime.loadLibraries(locked)
    }
    defer { Libcrypto.leaveThread() }
    return try runtime.worker.perform { _ throws(RemoraError) in
      try verifySeed(draft, dialect, chains: ChainCache(), atMs: nowMs)
    }
  }

  /// Stores an image as the seed that the next opening of its source reads. Waits at most 5 s for another installer.
  ///
  /// - Throws: `.storage`, `.permission`, `.tooLarge`; an older seed stays.
  package func save(_ accepted: AcceptedImage, in storage: StorageDirectory) throws(RemoraError) {
    let name = StorageName(hashing: accepted.image.metadata.identity)
    runtime.lock.withLock { runtime.handleForks($0) }
    let taken = try runtime.lock.waitForFiles(of: name.ofSeed, in: storage, withinMs: 5000)
    guard let seedLock = taken else { throw .busySeed }
    defer { seedLock.unlock() }
    try accepted.commitSeed(of: name, seedLock)
  }
}
