// SPDX-License-Identifier: Apache-2.0
//
// The hash seed of a storage directory: a secret shared by all processes, in a file that only the owner can read.
// Invariant: the file receives its name only when complete. A lost or damaged file is replaced. Every image stays
// readable, because its header contains the seed it was written with.

internal import Glibc

/// The hash seed that a directory stores.
struct StoredHashSeed {
  let directory: StorageDirectory

  private var calls: SystemCalls { directory.calls }

  /// Reads the seed from the file. Creates the file if it is absent, and replaces it if it is damaged. Nil if the
  /// directory cannot be written.
  func readOrCreate() -> HashSeed? {
    // A sweep of another process can remove the temporary file before it is renamed.
    for _ in 0..<3 {
      let found = read()
      if case .whole(let seed) = found { return seed }
      guard let number = directory.number, create(in: number, replacing: found != .absent) else { continue }
      // Another process may have created the file first.
      if case .whole(let seed) = read() { return seed }
    }
    return nil
  }

  /// Creates the file. Returns whether the file exists now.
  private func create(in number: Int32, replacing: Bool) -> Bool {
    let temporary = StoredFile.newTemporary(StorageName(hashing: StoredFile.hashSeed.fileName), calls)
    let opened = uninterrupted { calls.directories.openFile(number, temporary.fileName, O_WRONLY | O_CREAT | O_EXCL) }
    guard opened >= 0 else { return false }
    let file = FileDescriptor(adopting: opened, calls)
    defer { _ = calls.directories.remove(number, temporary.fileName) }
    guard (try? directory.giveToOwner(opened, temporary)) != nil else { return false }
    guard HashSeedFile(.random()).bytes.withUnsafeBytes({ file.write($0, at: 0, calls) }) == 0 else { return false }
    let name = StoredFile.hashSeed.fileName
    if !replacing {
      let linked = calls.directories.link(number, temporary.fileName, name)
      if linked == 0 || linked == -EEXIST { return true }
    }
    // Replaces a damaged file; also used if the file system has no hard links.
    return uninterrupted { calls.directories.rename(number, temporary.fileName, name) } == 0
  }

  private func read() -> HashSeedFile.State {
    do throws(RemoraError) {
      // The file normally has two names while it is being created.
      // A secret that others could read is replaced.
      let opened = try directory.openFile(.hashSeed, O_RDONLY, repairs: false) { $0.secretProblem(of: directory.owner) }
      guard let file = opened else { return .absent }
      var bytes = [UInt8](repeating: 0, count: HashSeedFile.size)
      let count = bytes.withUnsafeMutableBytes { file.read(into: $0, at: 0, calls) }
      guard count == bytes.count, let seed = HashSeedFile(bytes: bytes)?.seed else { return .useless }
      return .whole(seed)
    } catch {
      return .useless
    }
  }
}

/// The format of the file: magic number, secret, checksum of both.
private struct HashSeedFile {
  enum State: Equatable { case absent, useless, whole(HashSeed) }

  static var size: Int { 32 }
  private static var magic: [UInt8] { Array("REMORAHS".utf8) }
  private static var secretEnd: Int { 24 }

  let seed: HashSeed

  init(_ seed: HashSeed) { self.seed = seed }

  init?(bytes: [UInt8]) {
    guard bytes.count == Self.size, bytes.starts(with: Self.magic) else { return nil }
    let secret = bytes.withUnsafeBytes { HashSeed(UnsafeRawBufferPointer(rebasing: $0[8..<Self.secretEnd])) }
    guard let secret else { return nil }
    seed = secret
    guard self.bytes == bytes else { return nil }
  }

  var bytes: [UInt8] {
    let content = Self.magic + seed.bytes
    return content + [content.withUnsafeBytes { hash64($0) }].withUnsafeBytes(Array.init)
  }
}
