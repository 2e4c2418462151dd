// SPDX-License-Identifier: Apache-2.0
//
// Every system call behind an override, a seed and a reset fails with each reason, or is the last before a kill.
// After each: the old state or the new one is stored, and the next attempt succeeds.

import Glibc
import Testing

@testable import Remora

@Suite("Overrides, seeds (data from an installer) and resets when system calls fail")
struct StoredChangeFaultTests {
  static let errorNumbers = [ENOSPC, EIO, EDQUOT, EMFILE, ENFILE, ENOMEM, EROFS, EACCES, EFBIG]

  @Test(
    "if storing an override fails, reads still return it, and the old or the new list of overrides is on disk",
    arguments: errorNumbers)
  func overrideFails(number: Int32) throws {
    try forEachCall { call in
      let trial = try Trial()
      let (scene, handle) = try trial.open()
      trial.faults.arm([call: .fails(errno: number)], onThisThread: true)
      try handle.set("new", "", "1")
      let isClean = trial.faults.callCount < call
      trial.faults.disarm()
      #expect(try handle.json("new") == "1")
      let isStored = try handle.source.info().storageError == nil
      let found = try trial.storedOverrides()
      #expect(found == ["new:", "old:"] || (found == ["old:"] && !isStored), "call \(call) of \(trial.faults.log)")
      #expect(isStored || !isClean)
      #expect(trial.leftovers == [], "call \(call) of \(trial.faults.log)")
      try handle.set("next", "", "1")
      #expect(try handle.source.info().storageError == nil)
      scene.client.close()
      #expect(try trial.storedOverrides() == ["new:", "next:", "old:"])
      return isClean
    }
  }

  @Test(
    "a process that is killed while it stores an override leaves the old or the new list of overrides on disk",
    arguments: LostWrites.allCases)
  func overrideIsKilled(lost: LostWrites) throws {
    try forEachCall { call in
      let trial = try Trial()
      let (scene, handle) = try trial.open()
      trial.faults.arm([call: .crash(lost)])
      try handle.set("new", "", "1")
      scene.client.close()
      let found = try trial.storedOverrides()
      #expect(found == ["new:", "old:"] || found == ["old:"], "call \(call) of \(trial.faults.log)")
      try trial.expectSwept()
      return trial.faults.callCount < call
    }
  }

  @Test(
    "if stored overrides cannot be read, setting another override does not delete them", arguments: errorNumbers,
    [mode_t(0o600), 0o644])
  func readingFails(number: Int32, mode: mode_t) throws {
    try forEachCall { call in
      let trial = try Trial()
      // Mapped while it is private, else read.
      #expect(chmod(trial.path(.overrides(trial.name)), mode) == 0)
      trial.faults.arm([call: .fails(errno: number)])
      let (scene, handle) = try trial.open()
      let isClean = trial.faults.callCount < call
      try handle.set("new", "", "1")
      trial.faults.disarm()
      try handle.set("next", "", "1")
      // An image that could not be read may still be reported.
      #expect(handle.source.lock.withLock { handle.source.overridesStore.file[$0].problem } == nil)
      #expect(try handle.source.overrides().places == ["new:", "next:", "old:"])
      scene.client.close()
      #expect(try trial.storedOverrides() == ["new:", "next:", "old:"], "call \(call) of \(trial.faults.log)")
      return isClean
    }
  }

  @Test("a process that is killed while it opens a source or sets an override does not lose stored overrides")
  func readingIsKilled() throws {
    try forEachCall { call in
      let trial = try Trial()
      trial.faults.arm([call: .crash(.kept)])
      let (scene, handle) = try trial.open()
      try handle.set("new", "", "1")
      scene.client.close()
      #expect(try trial.storedOverrides().last == "old:", "call \(call) of \(trial.faults.log)")
      return trial.faults.callCount < call
    }
  }

  @Test(
    "if an installer cannot save a seed, the previous seed stays and no temporary file remains",
    arguments: errorNumbers)
  func seedIsNotSaved(number: Int32) throws {
    try forEachCall { call in
      let trial = try Trial()
      try trial.saveSeed("older", ageMs: 2000)
      trial.faults.arm([call: .fails(errno: number)])
      let isSaved = code { try trial.saveSeed("newer", ageMs: 1000, trial.faults.calls) } == nil
      let isClean = trial.faults.callCount < call
      trial.faults.disarm()
      #expect(isSaved || !isClean)
      #expect(trial.leftovers == [], "call \(call) of \(trial.faults.log)")
      let keys = try trial.keysOfNextOpening()
      #expect(keys == ["newer"] || (keys == ["older"] && !isSaved), "call \(call) of \(trial.faults.log)")
      try trial.saveSeed("newest", ageMs: 0)
      #expect(try trial.keysOfNextOpening() == ["newest"])
      return isClean
    }
  }

  @Test("if an opening fails to store a seed, the next opening uses the seed", arguments: errorNumbers)
  func seedIsNotAdopted(number: Int32) throws {
    try forEachCall { call in
      let trial = try Trial()
      try trial.saveSeed("seed", ageMs: 0)
      trial.faults.arm([call: .fails(errno: number)])
      let (scene, handle) = try trial.open()
      let isClean = trial.faults.callCount < call
      #expect(handle.keys == ["seed"] || !isClean)
      trial.faults.disarm()
      scene.client.close()
      #expect(trial.leftovers == [], "call \(call) of \(trial.faults.log)")
      #expect(try trial.keysOfNextOpening() == ["seed"], "call \(call) of \(trial.faults.log)")
      #expect(try trial.keysOfNextOpening() == ["seed"])
      return isClean
    }
  }

  @Test(
    "a reset that fails changes nothing, and a reset that succeeds is still in effect at the next opening",
    arguments: errorNumbers)
  func resetFails(number: Int32) throws {
    try forEachCall { call in
      let trial = try Trial()
      let (scene, handle) = try trial.open()
      #expect(handle.keys == ["cached"])
      trial.faults.arm([call: .fails(errno: number)])
      let isReset = code { try handle.source.reset() } == nil
      let isClean = trial.faults.callCount < call
      trial.faults.disarm()
      #expect(isReset || !isClean)
      // What another process of the directory sees, this one must not see differently a second later.
      Runtime.shared.worker.perform { _ = handle.source.adoption.adoptIfNewer($0) }
      #expect(handle.keys == (isReset ? [] : ["cached"]), "call \(call) of \(trial.faults.log)")
      #expect(try trial.keysOfNextOpening() == (isReset ? [] : ["cached"]), "call \(call) of \(trial.faults.log)")
      try handle.source.reset()
      #expect(handle.keys == [])
      scene.client.close()
      #expect(try trial.keysOfNextOpening() == [])
      #expect(try trial.storedOverrides() == ["old:"])
      return isClean
    }
  }

  @Test(
    "a reset that fails keeps the seed; one that succeeds deletes it, unless the source reports a storage error",
    arguments: errorNumbers)
  func resetOverSeed(number: Int32) throws {
    try forEachCall { call in
      let trial = try Trial()
      let (scene, handle) = try trial.open()
      try trial.saveSeed("seed", ageMs: 0)
      trial.faults.arm([call: .fails(errno: number)])
      let isReset = code { try handle.source.reset() } == nil
      let isClean = trial.faults.callCount < call
      trial.faults.disarm()
      let isWhole = try isReset && handle.source.info().storageError == nil
      #expect(isWhole || !isClean)
      scene.client.close()
      let keys = try trial.keysOfNextOpening()
      #expect(keys == (isWhole ? [] : ["seed"]) || (isReset && keys == []), "call \(call) of \(trial.faults.log)")
      return isClean
    }
  }

  @Test(
    "a process that is killed during a reset leaves either all fetched data or none of it",
    arguments: LostWrites.allCases)
  func resetIsKilled(lost: LostWrites) throws {
    try forEachCall { call in
      let trial = try Trial()
      let (scene, handle) = try trial.open()
      trial.faults.arm([call: .crash(lost)])
      let isReset = code { try handle.source.reset() } == nil
      let isWhole = try isReset && handle.source.info().storageError == nil
      scene.client.close()
      let keys = try trial.keysOfNextOpening()
      #expect(keys == [] || (keys == ["cached"] && !isWhole), "call \(call) of \(trial.faults.log)")
      #expect(try trial.storedOverrides() == ["old:"])
      return trial.faults.callCount < call
    }
  }

  /// Runs for call 1, 2, 3, … until `body` returns that no call was left to fail.
  private func forEachCall(_ body: (Int) throws -> Bool) throws {
    for call in 1...100 where try body(call) {
      #expect(call > 1)
      return
    }
    Issue.record("the operation does not end")
  }
}

/// A storage directory with settings in its cache and an override beside them.
private struct Trial {
  private static let now = TestTime.nowMs
  let directory: TemporaryDirectory
  let faults = FaultySystemCalls()
  let name: StorageName

  init() throws {
    directory = try TemporaryDirectory()
    name = StorageName(hashing: try Self.options.dialect().identity)
    try saveSeed("cached", ageMs: 3_600_000)
    let scene = try Scene(in: directory)
    try scene.client.openSettings(Self.options).set("old", "", "1")
    scene.client.close()
  }

  private static var options: SettingsOptions {
    var options = SettingsOptions()
    options.url = "https://h.example/x"
    options.opening.firstFetch = .onRequest
    options.opening.persistsOverrides = true
    return options
  }

  /// Opens the source in a client whose system calls may fail.
  func open() throws -> (Scene, OpenSource) {
    let scene = try Scene(in: directory, calls: faults.calls)
    return (scene, try scene.client.openSettings(Self.options))
  }

  func saveSeed(_ key: String, ageMs: Int64, _ calls: SystemCalls = .real) throws {
    let image = try Seeds().compile(
      Array("{\"\(key)\":1}".utf8), named: "seed.json", of: Self.options.dialect(), fetchedAtMs: Self.now - ageMs,
      nowMs: Self.now
    ).accepted
    try Seeds().save(image, in: StorageDirectory.open(path: directory.path("storage"), calls: calls))
  }

  /// The places of the overrides that another opening finds.
  func storedOverrides() throws -> [String] {
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    return StoredOverrides(of: try Self.options.dialect(), in: storage).list.places
  }

  /// The keys of the data that another opening finds, without overrides.
  func keysOfNextOpening() throws -> [String] {
    let scene = try Scene(in: directory)
    defer { scene.client.close() }
    return try scene.client.openSettings(Self.options).keys
  }

  /// The temporaries in the directory.
  var leftovers: [String] {
    guard let storage = try? StorageDirectory.open(path: directory.path("storage")) else { return [] }
    return storage.storedFiles().map(\.fileName).filter { $0.hasSuffix(".tmp") }
  }

  func expectSwept() throws {
    try DirectorySweep(StorageDirectory.open(path: directory.path("storage"))).run(nowMs: SystemClock().nowMs)
    #expect(leftovers == [])
  }

  func path(_ file: StoredFile) -> String { directory.path("storage/\(file.fileName)") }
}
