// SPDX-License-Identifier: Apache-2.0
//
// Overrides on disk: what the next open finds, what trouble of the storage does, and who writes beside whom.

import Glibc
import Testing

@testable import Remora

@Suite("Overrides that are kept across restarts (persist_overrides)")
struct PersistedOverrideTests {
  let directory: TemporaryDirectory
  let server: SignedServer

  init() throws {
    directory = try TemporaryDirectory()
    server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
  }

  func scene(_ calls: SystemCalls = .real, log: Log? = nil) throws -> Scene {
    try Scene(in: directory, server: server, calls: calls, log: log)
  }

  func open(_ scene: Scene) throws -> OpenSource { try scene.open { $0.opening.persistsOverrides = true } }

  /// What a client of its own finds at its first open.
  func reopened<Found>(_ find: (OpenSource) throws -> Found) throws -> Found {
    let scene = try scene()
    defer { scene.client.close() }
    return try find(open(scene))
  }

  /// The file of overrides, if there is one.
  var file: String? {
    guard let identity = try? server.dialect().identity else { return nil }
    let path = "storage/\(StoredFile.overrides(StorageName(hashing: identity)).fileName)"
    return directory.read(path) == nil ? nil : path
  }

  @Test("before any fetch, the next opening applies the stored overrides, except those that were cleared")
  func nextOpen() throws {
    var scene = try scene()
    var handle = try open(scene)
    try handle.set("a", "/v", "2")
    try handle.set("b", "", #"{"x":"\u0000é"}"#)
    try handle.set("c", "", "1")
    try handle.clear("c", "")
    #expect(handle.refresh().outcome == .updated)
    scene.client.close()

    scene = try self.scene()
    handle = try open(scene)
    #expect(try handle.shown == ["a", "b"])
    #expect(try handle.json("a", "/v") == "2")
    #expect(try handle.json("a", "/last_modified") == "1000")
    #expect(try handle.json("b", "/x") == #""\u0000\u00e9""#)
    #expect(try handle.source.info().storageError == nil)
    try handle.source.clearOverrides()
    #expect(file == nil)
    scene.client.close()
    #expect(try reopened { try $0.json("a", "/v") } == "1")
  }

  @Test("without the option persist_overrides, overrides are not stored, and a stored list is not read")
  func withoutOption() throws {
    var scene = try scene()
    try scene.open().set("a", "", "1")
    #expect(file == nil)
    scene.client.close()
    scene = try self.scene()
    try open(scene).set("a", "", "2")
    scene.client.close()
    let before = try directory.read(#require(file))
    scene = try self.scene()
    let handle = try scene.open()
    #expect(try handle.shown == [])
    try handle.set("b", "", "3")
    #expect(try directory.read(#require(file)) == before)
  }

  @Test("a reset keeps stored overrides")
  func reset() throws {
    let scene = try scene()
    let handle = try open(scene)
    handle.refresh()
    try handle.set("a", "/v", "2")
    try handle.source.reset()
    #expect(try handle.json("a") == #"{"v":2}"#)
    scene.client.close()
    #expect(try reopened { try $0.json("a") } == #"{"v":2}"#)
  }

  @Test("overrides can be set while a refresh waits for its server")
  func besideRefresh() throws {
    let scene = try scene()
    let handle = try open(scene)
    scene.transport.answer { _ in nil }
    let ends = Completions([])
    _ = try handle.source.refreshAsync(into: ends)
    #expect(scene.transport.waitForRequests(1))
    try handle.set("a", "/v", "2")
    let other = try self.scene()
    let second = try open(other)
    #expect(try second.json("a") == #"{"v":2}"#)
    try second.set("b", "", "3")
    #expect(try second.source.info().storageError == nil)
    other.client.close()
    #expect(ends.read { $0.isEmpty })
    #expect(try reopened { try $0.shown } == ["a", "b"])
  }

  @Test("two open clients do not share overrides, and the next opening reads the list that was stored last")
  func twoClients() throws {
    let (first, second) = (try scene(), try scene())
    let (one, two) = (try open(first), try open(second))
    try one.set("a", "", "1")
    try two.set("b", "", "2")
    #expect(try one.shown == ["a"])
    #expect(try two.shown == ["b"])
    #expect(try reopened { try $0.shown } == ["b"])
  }

  @Test("an override that is set while another client holds the lock is used at once, and stored later")
  func busy() throws {
    let scene = try scene()
    let handle = try open(scene)
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let held = try #require(try storage.tryLock(handle.source.name.ofOverrides))
    let isDone = Box(false)
    let thread = try NamedThread.startAsHost(name: "setter") {
      try? handle.set("a", "", "1")
      isDone.update { $0 = true }
    }
    // The reader sees it although the setter has not returned.
    let deadline = monotonicMs() + 30_000
    while try handle.json("a") == nil, monotonicMs() < deadline { sched_yield() }
    #expect(!isDone.read { $0 })
    #expect(file == nil)
    held.unlock()
    #expect(thread.join(untilMonotonicMs: .max))
    #expect(file != nil)
  }

  @Test("stored overrides are kept after the root pin changes, and cleared overrides do not come back")
  func rotation() throws {
    let chain = try TestChain(
      root: .root.around(TestTime.now), intermediates: [.intermediate.around(TestTime.now)],
      leaf: .leaf.around(TestTime.now))
    let after = try SignedServer(chain: chain, base: server.base)
    after.put("a", at: 1000)
    let oldPin = try server.chain.pin.description
    func rotated<Found>(_ previous: [String], _ find: (OpenSource) throws -> Found) throws -> Found {
      let scene = try Scene(in: directory, server: after)
      defer { scene.client.close() }
      return try find(
        scene.open {
          $0.opening.persistsOverrides = true
          $0.previousRoots = previous
        })
    }
    try reopened { try $0.set("x", "", "1") }
    #expect(try rotated([]) { try $0.shown } == [])
    #expect(try rotated([oldPin]) { try $0.shown } == ["x"])
    #expect(try rotated([]) { try $0.shown } == [])
    // The first fetch under the new root stores them under it.
    try rotated([oldPin]) { #expect($0.refresh().outcome == .updated) }
    #expect(try rotated([]) { try $0.shown } == ["a", "x"])
    try rotated([oldPin]) { try $0.source.clearOverrides() }
    #expect(try rotated([oldPin]) { try $0.shown } == ["a"])
    #expect(try reopened { try $0.shown } == ["x"])
  }

  @Test("stored overrides are deleted only together with the files of their source, after 30 days without use")
  func sweeping() throws {
    let scene = try scene()
    let handle = try open(scene)
    try handle.set("a", "", "1")
    let name = handle.source.name
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let wrong = try #require(try storage.tryLock(name))
    #expect(throws: RemoraError.self) { try wrong.commitOverrides(nil, of: name) }
    wrong.unlock()
    let (day, now) = (Int64(24 * 3600 * 1000), SystemClock().nowMs)
    DirectorySweep(storage).run(nowMs: now + 29 * day)
    #expect(file != nil)
    storage.noteUse(of: name, nowMs: now + 20 * day)
    DirectorySweep(storage).run(nowMs: now + 31 * day)
    #expect(file != nil)
    DirectorySweep(storage).run(nowMs: now + 51 * day)
    #expect(file == nil)
  }

  @Test("a forked child inherits overrides, and changes them independently", .forks)
  func fork() throws {
    let scene = try scene()
    let handle = try open(scene)
    try handle.set("a", "", "1")
    let status = inForkedChild {
      do {
        guard try handle.json("a") == "1" else { return 1 }
        try handle.set("a", "", "2")
        guard try handle.json("a") == "2", try handle.source.overrides().places == ["a:"] else { return 2 }
        return 0
      } catch {
        return 3
      }
    }
    #expect(status == 0)
    #expect(try handle.json("a") == "1")
    // The child stored what it set; the parent's next change stores the parent's.
    #expect(try reopened { try $0.json("a") } == "2")
    try handle.set("b", "", "1")
    #expect(try reopened { try $0.shown } == ["a", "b"])
    #expect(try reopened { try $0.json("a") } == "1")
  }
}
