// SPDX-License-Identifier: Apache-2.0
//
// The secret of a storage directory: one for all processes, for the owner only, and never a reason to fail.

import Glibc
import Testing

@testable import Remora

@Suite("The secret of a storage directory that protects hash tables against chosen keys")
struct HashSeedFileTests {
  private let temporary: TemporaryDirectory

  init() throws { temporary = try TemporaryDirectory() }

  @Test("the first use of a directory creates a hash secret, which only its owner can read; later openings use it too")
  func created() throws {
    let seed = try open().hashSeed
    #expect(temporary.names == ["hash-seed"])
    var status = stat()
    #expect(stat(temporary.path("hash-seed"), &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
    #expect(try open().hashSeed == seed)
    #expect(try HashSeedFileTests().open().hashSeed != seed)
  }

  @Test("opening, locking and reading a storage directory do not create a hash secret")
  func unused() throws {
    let directory = try open()
    _ = try directory.readImage(source, .live)
    try directory.locked().unlock()
    #expect(!temporary.names.contains("hash-seed"))
  }

  @Test(
    "a hash secret file that is damaged or that others can read is replaced once",
    arguments: ["empty", "cut", "longer magic", "flipped", "readable", "link"])
  func replaced(how: String) throws {
    let seed = try open().hashSeed
    var bytes = try #require(temporary.read("hash-seed"))
    switch how {
    case "empty": bytes = []
    case "cut": bytes.removeLast()
    case "flipped": bytes[10] ^= 1
    case "longer magic": bytes[0] = 0
    case "link": #expect(rename(temporary.path("hash-seed"), temporary.path("elsewhere")) == 0)
    default: break
    }
    if how == "link" {
      #expect(symlink(temporary.path("elsewhere"), temporary.path("hash-seed")) == 0)
    } else {
      try temporary.write("hash-seed", bytes, mode: how == "readable" ? 0o640 : 0o600)
    }
    let next = try open().hashSeed
    #expect(next != seed)
    #expect(try open().hashSeed == next)
    #expect(temporary.names.filter { $0 != "elsewhere" } == ["hash-seed"])
  }

  @Test("a hash secret that cannot be stored is used until its directory is closed", arguments: [true, false])
  func memory(isDirectory: Bool) throws {
    if isDirectory { try temporary.makeDirectory("hash-seed") }
    let directory: StorageDirectory = isDirectory ? try open() : .memory(because: RemoraError(.storage, "full"))
    #expect(directory.hashSeed == directory.hashSeed)
    #expect(temporary.names == (isDirectory ? ["hash-seed"] : []))
  }

  @Test("processes that start to use a new directory at the same time use the same hash secret", .forks)
  func race() async {
    // A process of its own, as in KilledWriterTests.
    await #expect(processExitsWith: .success) {
      for _ in 1...10 { try HashSeedFileTests().startTogether() }
    }
  }

  private func startTogether() throws {
    let temporary = temporary
    let children = (0..<6).map { index in
      ForkedChild {
        guard let seed = try? StorageDirectory.open(path: temporary.path).hashSeed else { return 1 }
        return (try? temporary.write("seen-\(index)", seed.bytes)) == nil ? 2 : 0
      }
    }
    try #require(children.map { $0.wait() } == [0, 0, 0, 0, 0, 0])
    let seed = try open().hashSeed
    for index in 0..<6 { try #require(temporary.read("seen-\(index)") == seed.bytes) }
    try #require(!temporary.names.contains { $0.hasSuffix(".tmp") })
  }

  @Test("a forked child keeps the hash secret of its parent", .forks)
  func forked() throws {
    let directory = try open()
    let seed = directory.hashSeed
    let process = Runtime.shared.hashSeed
    remove(temporary.path("hash-seed"))
    #expect(
      inForkedChild { directory.hashSeed == seed && Runtime.shared.hashSeed == process ? 0 : 1 } == 0)
  }

  @Test(
    "after a crash or failure at any system call, the next use of the directory has a hash secret",
    arguments: LostWrites.allCases)
  func crash(lost: LostWrites) throws {
    for call in 1...6 {
      try checkCrash(.crash(lost), at: call)
      try checkCrash(.fails(errno: EIO), at: call)
    }
  }

  private func checkCrash(_ accident: Accident, at call: Int) throws {
    let temporary = try TemporaryDirectory()
    let faults = FaultySystemCalls()
    do {
      let directory = try StorageDirectory.open(path: temporary.path, calls: faults.calls)
      faults.arm([call: accident])
      #expect(directory.hashSeed == directory.hashSeed)
      faults.disarm()
    }
    let next = try StorageDirectory.open(path: temporary.path).hashSeed
    #expect(try StorageDirectory.open(path: temporary.path).hashSeed == next)
    try DirectorySweep(StorageDirectory.open(path: temporary.path)).run(nowMs: SystemClock().nowMs)
    #expect(temporary.names.filter { $0 != "lock" } == ["hash-seed"])
  }

  private func open() throws -> StorageDirectory { try StorageDirectory.open(path: temporary.path) }
}
