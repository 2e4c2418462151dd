// SPDX-License-Identifier: Apache-2.0
//
// A seed between an installer that saves it and a host that takes it over: crashes, failures and others at each step.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Seeds (data that an installer writes to the storage directory before the program starts)")
struct SeedTests {
  let directory: TemporaryDirectory
  static let now = TestTime.nowMs

  init() throws { directory = try TemporaryDirectory() }

  var options: SettingsOptions {
    var options = SettingsOptions()
    options.url = "https://h.example/x"
    options.opening.firstFetch = .onRequest
    return options
  }

  var immediate: SettingsOptions {
    var options = options
    options.activation = .immediate
    return options
  }

  var name: StorageName { get throws { StorageName(hashing: try options.dialect().identity) } }

  var seeds: [String] {
    let name = directory.path("storage")
    return ((try? StorageDirectory.open(path: name).storedFiles()) ?? []).compactMap {
      if case .seed = $0 { $0.fileName } else { nil }
    }
  }

  func compiled(_ text: String, ageMs: Int64 = 0) throws -> AcceptedImage {
    try Seeds().compile(
      Array(text.utf8), named: "seed.json", of: options.dialect(), fetchedAtMs: Self.now - ageMs, nowMs: Self.now
    ).accepted
  }

  func save(_ text: String, ageMs: Int64 = 0, _ calls: SystemCalls = .real) throws {
    let storage = try StorageDirectory.open(path: directory.path("storage"), calls: calls)
    try Seeds().save(try compiled(text, ageMs: ageMs), in: storage)
  }

  func scene(_ calls: SystemCalls = .real, log: Log? = nil) throws -> Scene {
    try Scene(in: directory, calls: calls, log: log)
  }

  /// What the next host finds, once no job of an earlier one holds the lock of the files.
  func found() throws -> [String] {
    try drainWorker()
    let scene = try scene()
    let keys = try scene.client.openSettings(options).keys
    scene.client.close()
    return keys
  }

  /// The storage with a cache that is an hour older than the seed.
  func saveOverCache() throws {
    try save(#"{"cached":1}"#, ageMs: 3_600_000)
    #expect(try found() == ["cached"])
    try save(#"{"seed":1}"#)
  }

  @Test("the first opening uses a seed as cached data, and its version is the time at which the seed was fetched")
  func first() throws {
    try save(#"{"seed":1}"#, ageMs: 5000)
    let scene = try scene()
    let handle = try scene.client.openSettings(options)
    let info = try handle.source.info()
    #expect((info.origin, info.version, info.fetchedAtMs) == (.cached, Self.now - 5000, Self.now - 5000))
    #expect((info.checkedAtMs, info.hasStaged, info.generation) == (0, false, 1))
    #expect(seeds.isEmpty)
  }

  @Test("an empty settings dictionary is refused as a seed, and an earlier seed stays")
  func empty() throws {
    try save(#"{"seed":1}"#)
    #expect {
      try save("{}")
    } throws: {
      ($0 as? RemoraError)?.code == .format
    }
    #expect(try found() == ["seed"])
  }

  @Test("a seed is used even while another process holds the lock, and storing it later sends no event")
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
    #expect(try !handle.source.info().hasStaged)
    #expect(recorder.seen(1).count == 1)
  }

  @Test("the experiments of a seed are reported once, by the opening that stores it")
  func experiments() throws {
    let told = ReportedExperiments()
    try save(settings(("a", "1")))
    for count in [1, 2] {
      let scene = try scene()
      _ = try scene.client.openSettings(options, subscriber: told.sink)
      #expect(told.seen(count) == ["a=1"])
      scene.client.close()
    }
  }

  @Test(
    "if another process holds the lock, the experiments of a seed are reported after a later refresh stores it",
    arguments: [true, false])
  func busyAtFirst(isUnchanged: Bool) throws {
    try save(settings(("a", "1")))
    let lines = Box<[String]>([])
    let scene = try scene(log: Log(level: .info) { line in lines.update { $0.append(line.text) } })
    let lock = try StorageDirectory.open(path: directory.path("storage")).locked(name)
    let told = ReportedExperiments()
    let handle = try scene.client.openSettings(immediate, subscriber: told.sink)
    #expect(told.seen(1) == [])
    #expect(handle.keys == ["experiments"])
    #expect(try handle.source.info().storageError == nil)
    #expect(lines.wait { $0.contains { $0.hasSuffix("is accepted, but not stored yet") } })
    lock.unlock()
    let next = isUnchanged ? settings(("a", "1")) : settings(("a", "1"), ("b", "1"))
    scene.transport.answer { _ in .success(.answer(200, next)) }
    #expect(handle.refresh().outcome == (isUnchanged ? .unchanged : .updated))
    #expect(told.seen(2) == (isUnchanged ? ["a=1"] : ["a=1", "b=1"]))
    handle.refresh()
    #expect(told.seen(3).count == (isUnchanged ? 1 : 2))
  }

  @Test("a seed that an installer saves while a program picks up an older seed is not lost")
  func replaced() throws {
    try save(#"{"seed":1}"#, ageMs: 5000)
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let seed = try #require(StoredSeed(of: try options.dialect(), name, in: storage))
    try save(#"{"newer":1}"#)
    try seed.remove(of: options.dialect(), with: storage.locked(name))
    #expect(try found() == ["newer"])
  }

  @Test("a later seed with the same content as the cached data changes nothing and is deleted")
  func same() throws {
    try save(#"{"a":1}"#, ageMs: 5000)
    #expect(try found() == ["a"])
    try save(#"{"a":1}"#)
    let scene = try scene()
    #expect(try scene.client.openSettings(options).version == Self.now - 5000)
    #expect(seeds.isEmpty)
  }

  @Test("a seed that no program uses is never deleted, but temporary files of a killed installer are deleted")
  func sweep() throws {
    try save(#"{"a":1}"#)
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let left = StoredFile.newTemporary(try name.ofSeed).fileName
    try directory.write("storage/\(left)", [1])
    #expect(DirectorySweep(storage).run(nowMs: SystemClock().nowMs + 400 * dayMs) == 1)
    #expect(try found() == ["a"])
  }

  @Test("a seed of settings whose fetch time is in the future is used only if there is no other data")
  func futureFetch() throws {
    try save(#"{"first":1}"#, ageMs: -61_000)
    let scene = try scene()
    #expect(try scene.client.openSettings(options).source.info().version == 1)
    scene.client.close()
    try save(#"{"cached":1}"#, ageMs: 3_600_000)
    #expect(try found() == ["cached"])
    try save(#"{"future":1}"#, ageMs: -61_000)
    #expect(try found() == ["cached"])
    #expect(seeds.isEmpty)
    // Saved while the clock was ahead.
    let seed = try Seeds().compile(
      Array(#"{"ahead":1}"#.utf8), named: "seed.json", of: options.dialect(), fetchedAtMs: Self.now + dayMs,
      nowMs: Self.now + dayMs)
    try Seeds().save(seed.accepted, in: StorageDirectory.open(path: directory.path("storage")))
    #expect(try found() == ["cached"])
    // The clocks of two machines may differ a little.
    try save(#"{"recent":1}"#, ageMs: -59_000)
    #expect(try found() == ["recent"])
  }

  @Test("a seed with a timestamp ahead of the clock is not used until the clock has passed that timestamp")
  func future() throws {
    let server = try SignedServer.onOwnHost()
    var collection = CollectionOptions()
    collection.collection = "c"
    collection.requiresSignature = false
    let dialect = try collection.dialect(server: server.base, bucket: "main")
    let text = #"{"data":[],"timestamp":\#(Self.now)}"#
    let seed = try Seeds().compile(
      Array(text.utf8), named: "seed.json", of: dialect, fetchedAtMs: Self.now, nowMs: Self.now)
    try Seeds().save(seed.accepted, in: StorageDirectory.open(path: directory.path("storage")))
    for (nowMs, origin) in [(Self.now - 10 * dayMs, Origin.none), (Self.now, .cached)] {
      let scene = try Scene(in: directory, server: server, clock: ManualClock(nowMs))
      let handle = try scene.client.openCollection(collection)
      #expect(try handle.source.info().origin == origin)
      scene.client.close()
    }
  }
}
