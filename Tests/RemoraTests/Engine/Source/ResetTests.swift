// SPDX-License-Identifier: Apache-2.0
//
// Reset, the way out of every version: what was fetched is forgotten, in memory and on disk.

import Glibc
import Testing

@testable import Remora

@Suite("Reset (deletion of all fetched data of a source)")
struct ResetTests {
  let directory: TemporaryDirectory
  let scene: Scene

  init() throws {
    directory = try TemporaryDirectory()
    scene = try Scene(in: directory)
    scene.server.put("a", at: 5000)
  }

  @Test("a reset deletes fetched data, and an older version is accepted afterwards")
  func olderAfterwards() throws {
    let recorder = Recorder()
    let handle = try scene.open(subscriber: recorder.sink)
    #expect(handle.refresh().outcome == .updated)
    // Unread updates would merge.
    #expect(recorder.seen(2).count == 2)
    let older = try SignedServer(base: scene.server.base)
    older.put("z", at: 1000)
    scene.transport.answer { .success(older.answer($0.url)) }
    try handle.source.reset()
    #expect(recorder.seen(3).count == 3)
    #expect(try handle.source.info().origin == Origin.none)
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.keys == ["z"])
    #expect(
      recorder.seen(4) == [
        SeenEvent(cause: .opened),
        SeenEvent(cause: .refreshed, outcome: .updated, old: 0, new: 5000, changes: ["created a"]),
        SeenEvent(cause: .reset, old: 5000, new: 0, changes: ["deleted a"]),
        SeenEvent(cause: .refreshed, outcome: .updated, old: 0, new: 1000, changes: ["created z"]),
      ])
  }

  @Test("after a reset, reads return the packaged data")
  func packaged() throws {
    let handle = try scene.open { $0.packaged = .bytes(Array(#"{"data":[],"timestamp":3}"#.utf8)) }
    #expect(handle.refresh().outcome == .updated)
    try handle.source.reset()
    #expect(try handle.source.info().origin == .packaged)
    #expect(handle.version == 3)
  }

  @Test("data from before a reset is not read after a restart")
  func restart() throws {
    let handle = try scene.open()
    #expect(handle.refresh().outcome == .updated)
    try handle.source.reset()
    let second = try Scene(in: directory, server: scene.server)
    #expect(try second.open().source.info().origin == Origin.none)
    #expect(!directory.names.isEmpty)
  }

  @Test("a reset cancels a running refresh, whose late response changes nothing")
  func underWay() throws {
    let transport = ScriptedTransport(ignoresCancel: true) { _ in nil }
    let scene = try Scene(server: scene.server, transport: transport)
    let handle = try scene.open()
    let ends = Completions([])
    _ = try handle.source.refreshAsync(into: ends)
    #expect(transport.waitForRequests(1))
    try handle.source.reset()
    #expect(ends.outcomes() == [.failed])
    #expect(ends.read { $0.first?.error?.code } == .cancelled)
    transport.release(.success(scene.server.answer(transport.requests[0].url)))
    try drainWorker()
    #expect(try handle.source.info().origin == Origin.none)
    let server = scene.server
    transport.answer { .success(server.answer($0.url)) }
    #expect(handle.refresh().outcome == .updated)
  }

  @Test("if a reset cannot be stored because the disk is full, it fails and changes nothing")
  func fullDisk() throws {
    let faults = FaultySystemCalls()
    let scene = try Scene(in: directory, server: scene.server, calls: faults.calls)
    let handle = try scene.open()
    #expect(handle.refresh().outcome == .updated)
    faults.arm(Dictionary(uniqueKeysWithValues: (1...20).map { ($0, Accident.fails(errno: 28)) }))
    #expect(code { try handle.source.reset() } == .storage)
    faults.disarm()
    #expect(handle.keys == ["a"])
    try handle.source.reset()
    #expect(handle.keys.isEmpty)
  }

  @Test("a reset deletes a seed (data from an installer), even if the cached files cannot be deleted")
  func seed() throws {
    var calls = SystemCalls.real
    let remove = calls.directories.remove
    calls.directories.remove = { $1.hasSuffix(".live") ? -EIO : remove($0, $1) }
    let scene = try Scene(in: directory, server: scene.server, calls: calls)
    let handle = try scene.open()
    #expect(handle.refresh().outcome == .updated)
    try saveSeed()
    try handle.source.reset()
    #expect(try handle.source.info().storageError?.code == .storage)
    #expect(directory.read("storage/\(fileName(.live, of: handle.source.name))") != nil)
    #expect(try Scene(in: directory, server: scene.server).keysAndClose() == [])
  }

  @Test(
    "a seed (data from an installer) that a reset cannot delete causes an error and is used at the next opening")
  func busySeed() throws {
    let handle = try scene.open()
    try saveSeed()
    let installer = try StorageDirectory.open(path: directory.path("storage"))
    let lock = try #require(try installer.tryLock(handle.source.name.ofSeed))
    try handle.source.reset()
    #expect(try handle.source.info().storageError?.code == .storage)
    lock.unlock()
    #expect(try Scene(in: directory, server: scene.server).keysAndClose() == ["a"])
  }

  private func saveSeed() throws {
    try Seeds().save(try scene.server.accepted(), in: StorageDirectory.open(path: directory.path("storage")))
  }
}
