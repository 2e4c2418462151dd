// SPDX-License-Identifier: Apache-2.0
//
// Seeds over a storage that fails, is busy or is cut off.

import CTestSupport
import Glibc
import Testing

@testable import Remora

extension SeedTests {
  @Test("a crash while an opening stores a seed (data from an installer) loses no data", arguments: LostWrites.allCases)
  func crash(lost: LostWrites) throws {
    for number in 1...60 {
      try save(#"{"cached":1}"#, ageMs: 3_600_000 - Int64(number))
      #expect(try found().count == 1)
      // Newer than that of the round before.
      let age = 1_000_000 - 1000 * Int64(number)
      try save(#"{"seed\#(number)":1}"#, ageMs: age)
      let faults = FaultySystemCalls()
      let scene = try scene(faults.calls)
      faults.arm([number: .crash(lost)])
      let handle = try scene.client.openSettings(options)
      #expect(handle.keys == ["seed\(number)"] || faults.callCount >= number, "call \(number)")
      scene.client.close()
      #expect(try found() == ["seed\(number)"], "call \(number)")
      #expect(seeds.isEmpty)
      if faults.callCount < number { return }
    }
    Issue.record("taking over makes more than 60 calls")
  }

  @Test("if a system call fails while a seed (data from an installer) is stored, the next opening still uses the seed")
  func failure() throws {
    for number in 1...60 {
      let age = 1_000_000 - 1000 * Int64(number)
      try save(#"{"seed\#(number)":1}"#, ageMs: age)
      let faults = FaultySystemCalls()
      let scene = try scene(faults.calls)
      faults.arm([number: .fails(errno: ENOSPC)])
      _ = try scene.client.openSettings(options)
      scene.client.close()
      #expect(try found() == ["seed\(number)"], "call \(number)")
      if faults.callCount < number { return }
    }
    Issue.record("taking over makes more than 60 calls")
  }

  @Test("on a full disk, a seed (data from an installer) is used in memory with an error, and its file is kept")
  func fullDisk() throws {
    try save(#"{"seed":1}"#)
    var calls = SystemCalls.real
    calls.files.write = { _, _, _ in Int(-ENOSPC) }
    let scene = try scene(calls)
    let handle = try scene.client.openSettings(options)
    #expect(handle.keys == ["seed"])
    #expect(try handle.source.info().storageError?.code == .storage)
    #expect(seeds.count == 1)
    #expect(try found() == ["seed"])
    #expect(seeds.isEmpty)
  }

  @Test("if the lock file cannot be opened, a seed (data from an installer) is used in memory, and its file is kept")
  func noLock() throws {
    try save(#"{"seed":1}"#)
    var calls = SystemCalls.real
    let open = calls.directories.openFile
    calls.directories.openFile = { $1 == StoredFile.lock.fileName ? -EIO : open($0, $1, $2) }
    let scene = try scene(calls)
    let handle = try scene.client.openSettings(options)
    #expect(handle.keys == ["seed"])
    #expect(try handle.source.info().storageError?.code == .storage)
    scene.client.close()
    #expect(seeds.count == 1)
    #expect(try found() == ["seed"])
  }

  @Test(
    "a crash while an installer saves a seed (data for the program) leaves either the previous seed or the new one",
    arguments: LostWrites.allCases)
  func crashedInstaller(lost: LostWrites) throws {
    for number in 1...30 {
      try save(#"{"old":1}"#, ageMs: 1_000_000 - 1000 * Int64(number))
      let faults = FaultySystemCalls()
      faults.arm([number: .crash(lost)])
      let isSaved = code { try save(#"{"new":1}"#, ageMs: 999_500 - 1000 * Int64(number), faults.calls) } == nil
      let keys = try found()
      #expect(keys == ["new"] || (keys == ["old"] && !isSaved), "call \(number)")
      if faults.callCount < number { return }
    }
    Issue.record("saving makes more than 30 calls")
  }

  @Test(
    "the owner of the storage directory accepts a seed (a file from an installer) that root owns",
    .forks, .enabled(if: geteuid() == 0))
  func rootsSeed() throws {
    try directory.makeDirectory("storage", mode: 0o700)
    #expect(chmod(directory.path, 0o755) == 0 && chown(directory.path("storage"), 65534, 65534) == 0)
    let storage = try StorageDirectory.open(path: directory.path("storage"), mayBeAnothers: true)
    try Seeds().save(try compiled(#"{"a":1}"#), in: storage)
    let (path, name, dialect) = (directory.path("storage"), try name, try options.dialect())
    let file = "\(path)/\(StoredFile.seed(name).fileName)"
    #expect(chown(file, 0, 0) == 0 && chmod(file, 0o644) == 0)
    let status = inForkedChild {
      guard test_become_nobody() == 0 else { return 1 }
      guard let storage = try? StorageDirectory.open(path: path) else { return 2 }
      let found = SeededState(dialect, name, in: storage, nowMs: Self.now)
      guard found.stored.image?.count == 1, found.seedProblem == nil else { return 3 }
      return access(file, F_OK) == 0 ? 4 : 0
    }
    #expect(status == 0)
  }

  @Test(
    "a seed (a file from an installer) is deleted if its owner cannot be changed to that of the directory",
    .enabled(if: geteuid() == 0))
  func notGiven() throws {
    try directory.makeDirectory("storage", mode: 0o700)
    #expect(chown(directory.path("storage"), 65534, 65534) == 0)
    #expect(try StorageDirectory.open(path: directory.path("storage")).writeProblem?.code == .permission)
    for given in 0...1 {
      // First the file of locks is given, then the seed.
      let left = Box(given)
      var calls = SystemCalls.real
      calls.files.changeOwner = { number, owner in
        let isRefused = left.update {
          $0 -= 1
          return $0 < 0
        }
        return isRefused ? -EPERM : SystemCalls.real.files.changeOwner(number, owner)
      }
      let storage = try StorageDirectory.open(path: directory.path("storage"), mayBeAnothers: true, calls: calls)
      #expect(
        code { try Seeds().save(try compiled(#"{"a":1}"#), in: storage) } == (given == 0 ? .permission : .storage))
      #expect(storage.storedFiles() == (given == 0 ? [] : [.lock]))
    }
  }
}
