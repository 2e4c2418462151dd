// SPDX-License-Identifier: Apache-2.0
//
// A seed between an installer that saves it and a host that takes it over: crashes, failures and others at each step.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Seeds")
struct SeedTests {
  let directory: TemporaryDirectory
  private static let now = TestTime.nowMs

  init() throws { directory = try TemporaryDirectory() }

  private var options: SettingsOptions {
    var options = SettingsOptions()
    options.url = "https://h.example/x"
    options.fetchesAtOpen = false
    return options
  }

  private var immediate: SettingsOptions {
    var options = options
    options.activation = .immediate
    return options
  }

  private var name: StorageName { get throws { StorageName(hashing: try options.dialect().identity) } }

  private var seeds: [String] {
    let name = directory.path("storage")
    return ((try? StorageDirectory.open(path: name).storedFiles()) ?? []).compactMap {
      if case .seed = $0 { $0.fileName } else { nil }
    }
  }

  private func compiled(_ text: String, ageMs: Int64 = 0) throws -> AcceptedImage {
    try Runtime.shared.compileSeed(
      Array(text.utf8), named: "seed.json", of: options.dialect(), fetchedAtMs: Self.now - ageMs, nowMs: Self.now
    ).image
  }

  private func save(_ text: String, ageMs: Int64 = 0, _ calls: SystemCalls = .real) throws {
    let storage = try StorageDirectory.open(path: directory.path("storage"), calls: calls)
    try storage.saveSeed(try compiled(text, ageMs: ageMs))
  }

  private func scene(_ calls: SystemCalls = .real, log: Log? = nil) throws -> Scene {
    try Scene(in: directory, calls: calls, log: log)
  }

  /// What the next host finds.
  private func found() throws -> [String] {
    let scene = try scene()
    let keys = try scene.client.openSettings(options).keys
    scene.client.close()
    return keys
  }

  /// The storage with a cache that is an hour older than the seed.
  private func saveOverCache() throws {
    try save(#"{"cached":1}"#, ageMs: 3_600_000)
    #expect(try found() == ["cached"])
    try save(#"{"seed":1}"#)
  }

  @Test("it is live as cached at its first opening, whose version is the time of its fetch")
  func first() throws {
    try save(#"{"seed":1}"#, ageMs: 5000)
    let scene = try scene()
    let handle = try scene.client.openSettings(options)
    let info = try handle.source.info()
    #expect((info.origin, info.version, info.fetchedAtMs) == (.cached, Self.now - 5000, Self.now - 5000))
    #expect((info.lastSuccessMs, info.isPending, info.generation) == (0, false, 1))
    #expect(seeds.isEmpty)
  }

  @Test("a crash at any call of the taking over loses nothing", arguments: LostWrites.allCases)
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

  @Test("any one call that fails costs at most this opening the seed")
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

  @Test("a full disk keeps it live in memory, with the error, and it is there for the next opening")
  func fullDisk() throws {
    try save(#"{"seed":1}"#)
    var calls = SystemCalls.real
    calls.write = { _, _, _ in Int(-ENOSPC) }
    let scene = try scene(calls)
    let handle = try scene.client.openSettings(options)
    #expect(handle.keys == ["seed"])
    #expect(try handle.source.info().storageError?.code == .storage)
    #expect(seeds.count == 1)
    #expect(try found() == ["seed"])
    #expect(seeds.isEmpty)
  }

  @Test("while another process has the files it is live here, and no news when that other takes it over")
  func busy() throws {
    try saveOverCache()
    let other = try StorageDirectory.open(path: directory.path("storage"))
    let lock = try other.locked(name)
    let (first, second) = try (scene(), scene())
    let recorder = Recorder()
    let handle = try first.client.openSettings(options, subscriber: recorder.sink)
    #expect(handle.keys == ["seed"])
    #expect(seeds.count == 1)
    lock.unlock()
    #expect(try second.client.openSettings(options).keys == ["seed"])
    #expect(seeds.isEmpty)
    Runtime.shared.lock.withLock { Runtime.shared.worker.enqueue($0) { handle.source.adoption.adoptIfNewer($0) } }
    try drainWorker()
    #expect(try handle.source.info().generation == second.client.openSettings(options).source.info().generation)
    #expect(try !handle.source.info().isPending)
    #expect(recorder.seen(1).count == 1)
  }

  @Test("the experiments of a first seed are announced by the opening that takes it over, and never again")
  func experiments() throws {
    let told = Announcements()
    try save(settings(("a", "1")))
    for count in [1, 2] {
      let scene = try scene()
      _ = try scene.client.openSettings(options, subscriber: told.sink)
      #expect(told.seen(count) == ["a=1"])
      scene.client.close()
    }
  }

  @Test(
    "a first seed that finds the files busy is live, says so, and is announced once it is stored by a refresh",
    arguments: [true, false])
  func busyAtFirst(isUnchanged: Bool) throws {
    try save(settings(("a", "1")))
    let lines = Box<[String]>([])
    let scene = try scene(log: Log(level: .info) { _, line in lines.update { $0.append(line) } })
    let lock = try StorageDirectory.open(path: directory.path("storage")).locked(name)
    let told = Announcements()
    let handle = try scene.client.openSettings(immediate, subscriber: told.sink)
    #expect(told.seen(1) == [])
    #expect(handle.keys == ["experiments"])
    #expect(try handle.source.info().storageError == nil)
    #expect(lines.wait { $0.contains { $0.hasSuffix("is live in memory until another opening stores it") } })
    lock.unlock()
    let next = isUnchanged ? settings(("a", "1")) : settings(("a", "1"), ("b", "1"))
    scene.transport.answer { _ in .success(.answer(200, next)) }
    #expect(handle.refresh().outcome == (isUnchanged ? .unchanged : .updated))
    #expect(told.seen(2) == (isUnchanged ? ["a=1"] : ["a=1", "b=1"]))
    handle.refresh()
    #expect(told.seen(3).count == (isUnchanged ? 1 : 2))
  }

  @Test("where the files cannot be locked it is live in memory, with the error, and stays for another opening")
  func noLock() throws {
    try save(#"{"seed":1}"#)
    var calls = SystemCalls.real
    let open = calls.open
    calls.open = { $1 == StoredFile.lock.fileName ? -EIO : open($0, $1, $2) }
    let scene = try scene(calls)
    let handle = try scene.client.openSettings(options)
    #expect(handle.keys == ["seed"])
    #expect(try handle.source.info().storageError?.code == .storage)
    scene.client.close()
    #expect(seeds.count == 1)
    #expect(try found() == ["seed"])
  }

  @Test("an installer that comes while a host takes an older seed over is not lost")
  func replaced() throws {
    try save(#"{"seed":1}"#, ageMs: 5000)
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let seed = try #require(StoredSeed(of: try options.dialect(), name, in: storage))
    try save(#"{"newer":1}"#)
    try seed.remove(of: options.dialect(), with: storage.locked(name))
    #expect(try found() == ["newer"])
  }

  @Test("a crash at any call of the saving leaves the older seed or the new one", arguments: LostWrites.allCases)
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

  @Test("the same content, fetched later, changes nothing and goes")
  func same() throws {
    try save(#"{"a":1}"#, ageMs: 5000)
    #expect(try found() == ["a"])
    try save(#"{"a":1}"#)
    let scene = try scene()
    #expect(try scene.client.openSettings(options).version == Self.now - 5000)
    #expect(seeds.isEmpty)
  }

  @Test("a sweep leaves seeds alone, however old, and takes what a dead installer has left")
  func sweep() throws {
    try save(#"{"a":1}"#)
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let left = StoredFile.newTemporary(try name.ofSeed).fileName
    try directory.write("storage/\(left)", [1])
    #expect(DirectorySweep(storage).run(nowMs: SystemClock().nowMs + 400 * dayMs) == 1)
    #expect(try found() == ["a"])
  }

  @Test("a timestamp ahead of the clock waits until the clock is right")
  func future() throws {
    let server = try SignedServer.onOwnHost()
    var collection = CollectionOptions()
    collection.collection = "c"
    collection.requiresSignature = false
    let dialect = try collection.dialect(server: server.base, bucket: "main")
    let text = #"{"data":[],"timestamp":\#(Self.now)}"#
    let seed = try Runtime.shared.compileSeed(
      Array(text.utf8), named: "seed.json", of: dialect, fetchedAtMs: Self.now, nowMs: Self.now)
    try StorageDirectory.open(path: directory.path("storage")).saveSeed(seed.image)
    for (nowMs, origin) in [(Self.now - 10 * dayMs, Origin.none), (Self.now, .cached)] {
      let scene = try Scene(in: directory, server: server, clock: ManualClock(nowMs))
      let handle = try scene.client.openCollection(collection)
      #expect(try handle.source.info().origin == origin)
      scene.client.close()
    }
  }

  @Test("root's seed is good for whom the directory belongs to", .forks, .enabled(if: geteuid() == 0))
  func rootsSeed() throws {
    try directory.makeDirectory("storage", mode: 0o700)
    #expect(chmod(directory.path, 0o755) == 0 && chown(directory.path("storage"), 65534, 65534) == 0)
    try StorageDirectory.open(path: directory.path("storage"), mayBeAnothers: true)
      .saveSeed(try compiled(#"{"a":1}"#))
    let (path, name, dialect) = (directory.path("storage"), try name, try options.dialect())
    let file = "\(path)/\(StoredFile.seed(name).fileName)"
    #expect(chown(file, 0, 0) == 0 && chmod(file, 0o644) == 0)
    let status = inForkedChild {
      guard test_become_nobody() == 0 else { return 1 }
      guard let storage = try? StorageDirectory.open(path: path) else { return 2 }
      let state = StoredState.open(dialect, name, in: storage, nowMs: Self.now)
      guard state.image?.count == 1, state.seedProblem == nil else { return 3 }
      return access(file, F_OK) == 0 ? 4 : 0
    }
    #expect(status == 0)
  }

  @Test("what a host cannot give to the directory's owner, it does not leave behind", .enabled(if: geteuid() == 0))
  func notGiven() throws {
    try directory.makeDirectory("storage", mode: 0o700)
    #expect(chown(directory.path("storage"), 65534, 65534) == 0)
    #expect(code { _ = try StorageDirectory.open(path: directory.path("storage")) } == .permission)
    for given in 0...1 {
      // First the file of locks is given, then the seed.
      let left = Box(given)
      var calls = SystemCalls.real
      calls.changeOwner = { number, owner in
        let isRefused = left.update {
          $0 -= 1
          return $0 < 0
        }
        return isRefused ? -EPERM : SystemCalls.real.changeOwner(number, owner)
      }
      let storage = try StorageDirectory.open(path: directory.path("storage"), mayBeAnothers: true, calls: calls)
      #expect(code { try storage.saveSeed(try compiled(#"{"a":1}"#)) } == (given == 0 ? .permission : .storage))
      #expect(storage.storedFiles() == (given == 0 ? [] : [.lock]))
    }
  }
}
