// SPDX-License-Identifier: Apache-2.0
//
// Earlier roots beside other clients, resets and monitors.

import Testing

@testable import Remora

extension PreviousRootTests {
  @Test("a client that has fetched data with the new root pin ignores later data of clients with the old pin")
  func noAdoption() throws {
    let scene = try rotated()
    let handle = try open(scene)
    #expect(handle.refresh().outcome == .updated)
    before.put("later", at: 9000)
    try Scene(in: directory, server: before).fetchAndClose()
    Runtime.shared.lock.withLock { Runtime.shared.worker.enqueue($0) { handle.source.adoption.adoptIfNewer($0) } }
    try drainWorker()
    #expect(handle.keys == ["a"])
    scene.client.close()
    let second = try rotated()
    #expect(try open(second).keys == ["a"])
  }

  @Test("data that one client fetches with the new root pin is picked up by other clients with that pin")
  func adoption() throws {
    before.put("a", at: 1500)
    try Scene(in: directory, server: before).fetchAndClose()
    after.put("b", at: 2000)
    let (first, second) = try (rotated(), rotated())
    let (fetcher, adopter) = try (open(first), open(second))
    #expect(fetcher.refresh().outcome == .updated)
    Runtime.shared.lock.withLock { Runtime.shared.worker.enqueue($0) { adopter.source.adoption.adoptIfNewer($0) } }
    try drainWorker()
    #expect(adopter.keys == ["a", "b"])
    #expect(second.transport.requests.isEmpty)
  }

  @Test("after a reset, data verified with earlier root pins is not used any more, not even after a restart")
  func reset() throws {
    let scene = try rotated()
    let handle = try open(scene)
    try handle.source.reset()
    #expect(handle.keys.isEmpty)
    scene.client.close()
    let second = try rotated()
    let again = try open(second)
    #expect(try again.source.info().origin == Origin.none)
    second.client.close()
    // Who is still on the earlier pin was not reset.
    #expect(try Scene(in: directory, server: before).keysAndClose() == ["a"])
  }

  @Test("after a client with the old root pin resets a source, a client with the new pin reads only data fetched later")
  func earlierReset() throws {
    let scene = try Scene(in: directory, server: before)
    let handle = try scene.open()
    try handle.source.reset()
    let early = try rotated()
    #expect(try open(early).keys.isEmpty)
    early.client.close()
    let older = try SignedServer(base: before.base)
    older.put("z", at: 10)
    scene.transport.answer { .success(older.answer($0.url)) }
    #expect(handle.refresh().outcome == .updated)
    let late = try rotated()
    let inheritor = try open(late)
    #expect(inheritor.keys == ["z"])
    #expect(inheritor.refresh().outcome == .updated)
    #expect(inheritor.version == 1000)
  }

  @Test("after its own reset, a client with the new root pin ignores even data fetched after a reset with the old pin")
  func resetAfterEarlierReset() throws {
    let scene = try rotated()
    let handle = try open(scene)
    let earlier = try Scene(in: directory, server: before)
    let old = try earlier.open()
    try old.source.reset()
    #expect(old.refresh().outcome == .updated)
    try handle.source.reset()
    scene.client.close()
    let second = try rotated()
    #expect(try open(second).source.info().origin == Origin.none)
  }

  @Test("a sync with a new root pin requests data even if the server lists the timestamp of the old data")
  func monitored() throws {
    let server = try MonitoredServer(["c"], base: before.base)
    server["c"].put("a", at: 1000)
    let plain = try SignedServer(base: before.base)
    let sync = try Scene(in: directory, server: plain, transport: ScriptedTransport { server.answer($0.url) })
    let pin = try after.chain.pin.description
    let oldPin = oldPin
    // The monitored server signs with the earlier chain; what matters is that it is asked.
    _ = try sync.open {
      $0.rootSHA256 = pin
      $0.previousRoots = [oldPin]
    }
    #expect(try sync.client.sync(timeoutMs: -1).codes == [.rootMismatch])
    #expect(sync.transport.requests.map(\.short).contains("c _expected=0&_since=1000"))
  }

  @Test("opening a source with a new root pin also renews the time of last use of its data verified with the old pin")
  func sweep() throws {
    let name = StorageName(hashing: try before.dialect().identity)
    let path = directory.path("storage/\(StoredFile.ledger(name).fileName)")
    let store = try StorageDirectory.open(path: directory.path("storage"))
    let longAgo = SystemClock().nowMs - 40 * dayMs
    store.noteUse(of: name, nowMs: longAgo)
    #expect(SystemCalls.real.directories.pathStatus(path).modifiedMs < longAgo + 1000)
    let scene = try rotated()
    _ = try open(scene)
    #expect(SystemCalls.real.directories.pathStatus(path).modifiedMs > longAgo + dayMs)
  }
}
