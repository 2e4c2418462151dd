// SPDX-License-Identifier: Apache-2.0
//
// What all sources of a server share: its wish to be left alone, and the floor of the clock.

import Testing

@testable import Remora

@Suite("State of a server: its backoff, and the earliest time that is used to check certificates")
struct ServerStateTests {
  let directory: TemporaryDirectory
  let server: SignedServer
  let clock = ManualClock()

  init() throws {
    directory = try TemporaryDirectory()
    server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
  }

  private func scene() throws -> Scene { try Scene(in: directory, server: server, clock: clock) }

  @Test(
    "the longer of the headers Retry-After and Backoff is obeyed, whatever the HTTP status",
    arguments: [
      (503, [("Retry-After", "60")], 60_000), (200, [("Backoff", "30")], 30_000), (429, [("Retry-After", "0")], 0),
      (500, [("Retry-After", "10"), ("Backoff", "20")], 20_000), (503, [("Retry-After", "999999999")], 86_400_000),
      (304, [("Backoff", "5")], 5000),
    ] as [(Int32, [(String, String)], Int64)])
  func obeyed(status: Int32, headers: [(String, String)], wait: Int64) throws {
    let scene = try scene()
    let handle = try scene.open()
    scene.transport.answer { [server] request in
      if request.url.hasSuffix(".pem") { return .success(server.answer(request.url)) }
      var answer = HTTPResponse.answer(status, "", headers)
      if status == 200 { answer.body = server.answer(request.url).body }
      return .success(answer)
    }
    handle.refresh()
    #expect(try handle.source.info().retryAfterMs == wait)
    let count = scene.transport.requests.count
    let next = handle.refresh()
    guard wait > 0 else { return #expect(next.error?.code != .backoff) }
    #expect(next.outcome == .failed)
    #expect(next.error?.code == .backoff)
    #expect(next.error?.retryAfterMs == wait)
    #expect(scene.transport.requests.count == count)
    clock.advance(byMs: wait)
    #expect(handle.refresh().error?.code != .backoff)
  }

  /// Tells the server to be left alone for a minute.
  private func pause(_ scene: Scene, _ handle: OpenSource) {
    scene.transport.answer { _ in .success(.answer(503, "", [("Retry-After", "60")])) }
    #expect(handle.refresh().error?.retryAfterMs == 60_000)
    scene.transport.answer { [server] in .success(server.answer($0.url)) }
  }

  @Test("a forced refresh sends its request even while a backoff of the server applies")
  func forced() throws {
    let scene = try scene()
    let handle = try scene.open()
    pause(scene, handle)
    let ends = Completions([])
    _ = try handle.source.refreshAsync(isForced: true, into: ends)
    #expect(ends.outcomes() == [.updated])
    #expect(handle.refresh().error?.code == .backoff)
  }

  @Test("a backoff of a server delays all sources of that server, and no source of another server")
  func shared() throws {
    let scene = try scene()
    try pause(scene, scene.open())
    #expect(try scene.open { $0.bucket = "other" }.refresh().error?.code == .backoff)
    let elsewhere = try scene.open { $0.server = "https://elsewhere.example/v2" }
    #expect(elsewhere.refresh().error?.code != .backoff)
  }

  @Test("a backoff is obeyed after a restart")
  func persisted() throws {
    do {
      let first = try scene()
      try pause(first, first.open())
    }
    clock.advance(byMs: 10_000)
    let second = try scene()
    let handle = try second.open()
    #expect(handle.refresh().error?.retryAfterMs == 50_000)
    #expect(second.transport.requests.isEmpty)
  }

  @Test(
    "setting the clock back never extends a backoff beyond its length, even after a restart",
    arguments: [60_001, 3_600_000, 400 * dayMs])
  func clockFallsBack(ms: Int64) throws {
    let first = try scene()
    let handle = try first.open()
    pause(first, handle)
    clock.advance(byMs: -ms)
    #expect(try handle.source.info().retryAfterMs == 0)
    let second = try scene()
    #expect(try second.open().source.info().retryAfterMs == 0)
    // A new pause replaces the one that was recorded with the wrong clock.
    pause(first, handle)
    clock.advance(byMs: 59_000)
    for scene in [first, second] {
      #expect(try scene.open().source.info().retryAfterMs == 1000)
      #expect(try scene.open().refresh().error?.code == .backoff)
    }
    clock.advance(byMs: 1000)
    #expect(handle.refresh().error?.code != .backoff)
  }

  @Test("a backoff ends even while the clock is behind the earliest time that is used to check certificates")
  func clockBehindFloor() throws {
    let scene = try scene()
    let handle = try scene.open()
    #expect(handle.refresh().outcome == .updated)
    clock.advance(byMs: -100 * dayMs)
    server.put("a", at: 2000)
    pause(scene, handle)
    clock.advance(byMs: 60_000)
    #expect(handle.refresh().error?.code != .backoff)
    #expect(try handle.source.info().attemptedAtMs == clock.nowMs)
  }

  @Test("the earliest time that a reset has removed is not restored by a client that had recorded it")
  func resetForOthers() throws {
    let (first, second) = try (scene(), scene())
    let name = StorageName(hashing: "server")
    try second.client.services.updateServerLedger(name) { $0.clockFloorMs = 9 }
    #expect(first.client.services.serverLedger(name).clockFloorMs == 9)
    try first.client.services.updateServerLedger(name) { $0.clockFloorMs = 0 }
    try second.client.services.updateServerLedger(name) { $0.backoff.untilMs = 5 }
    for scene in [first, second] {
      #expect(scene.client.services.serverLedger(name).clockFloorMs == 0)
      #expect(scene.client.services.serverLedger(name).backoff.untilMs == 5)
    }
  }

  @Test("the clock floor is written at most once an hour while the server has nothing new")
  func hourly() throws {
    let scene = try scene()
    let handle = try scene.open()
    handle.refresh()
    let floor = { scene.client.services.serverLedger(handle.source.core.serverName).clockFloorMs }
    let first = clock.nowMs - dayMs
    #expect(floor() == first)
    handle.source.core.noteVerified(atMs: clock.nowMs + 3_599_999)
    #expect(floor() == first)
    handle.source.core.noteVerified(atMs: clock.nowMs + 3_600_000)
    #expect(floor() == first + 3_600_000)
  }

  @Test("without signatures, there is no clock floor")
  func unsigned() throws {
    let scene = try scene()
    let handle = try scene.open { $0.requiresSignature = false }
    for _ in 0..<2 { handle.refresh() }
    #expect(scene.client.services.serverLedger(handle.source.core.serverName).clockFloorMs == 0)
  }

  @Test(
    "setting the clock back does not make a certificate valid that had expired at the last refresh, even after a restart",
    arguments: [true, false])
  func clockFloor(isConfirmed: Bool) throws {
    let day: Int64 = 86_400_000
    let now = TestTime.now
    let root = CertificateTemplate.root.around(now, until: now + 30 * 86400)
    let intermediate = CertificateTemplate.intermediate.around(now, until: now + 30 * 86400)
    let leaf = CertificateTemplate.leaf.around(now, until: now + 30 * 86400)
    let long = try TestChain(root: root, intermediates: [intermediate], leaf: leaf)
    let expired = try TestCertificate(leaf.around(now, until: now + 10), issuer: long.certificates[1])

    let server = try SignedServer(chain: long, base: self.server.base)
    server.put("a", at: 1000)
    let first = try Scene(in: directory, server: server, clock: clock)
    let handle = try first.open()
    if isConfirmed { handle.refresh() }
    clock.advance(byMs: 10 * day)
    #expect(handle.refresh().outcome == (isConfirmed ? .unchanged : .updated))

    clock.advance(byMs: -10 * day)
    var chain = long
    chain.certificates[0] = expired
    let stale = try SignedServer(chain: chain, base: server.base)
    stale.put("b", at: 2000)
    for scene in [first, try Scene(in: directory, server: stale, clock: clock)] {
      scene.transport.answer { .success(stale.answer($0.url)) }
      let handle = try scene.open { $0.rootSHA256 = (try? long.pin)?.description }
      let result = handle.refresh()
      #expect(result.outcome == .refused)
      #expect(result.error?.code == .certificateExpired)
      #expect(handle.keys == ["a"])
    }
  }
}
