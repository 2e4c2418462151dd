// SPDX-License-Identifier: Apache-2.0
//
// A sync of a client: one question to the monitor, requests for what moved, and one end for each source.

import Testing

@testable import Remora

@Suite("Sync (a refresh of all open sources of a client)")
struct SyncTests {
  @Test("a sync requests the server's list of collections, and then fetches only the collections that have changed")
  func moved() throws {
    let stage = try SyncStage()
    #expect(try stage.sync().outcomes == [.updated, .updated, .updated, .updated])
    #expect(stage.asked() == ["changes _expected=0"] + ["a", "b", "c", "d"].map { "\($0) _expected=1000" })
    stage.server["b"].put("s", at: 2000)
    let before = stage.count
    let report = try stage.sync()
    #expect(report.outcomes == [.unchanged, .updated, .unchanged, .unchanged])
    #expect(report.error == nil)
    #expect(stage.asked(since: before) == ["changes _expected=0", "b _expected=2000&_since=1000"])
    #expect(stage.handles[1].keys == ["r", "s"])
  }

  @Test("the timestamp of a push message is sent with the request for the server's list of collections")
  func announced() throws {
    let stage = try SyncStage(["a"])
    #expect(try stage.scene.client.sync(RefreshManner(expected: 1234), timeoutMs: -1).outcomes == [.updated])
    #expect(stage.asked() == ["changes _expected=1234", "a _expected=1000"])
  }

  @Test("the report of a sync has the number of each outcome, and lists the sources in the order of their opening")
  func report() throws {
    let stage = try SyncStage(["b", "a"])
    let report = try stage.sync()
    let base = stage.scene.server.base
    #expect(
      report.items.map(\.source) == ["b", "a"].map { SourceLabel(kind: .collection, server: base, name: "main/\($0)") })
    #expect(report.updated == 2)
    #expect(report.unchanged == 0)
  }

  @Test("a sync also fetches a collection that the server's list of collections does not contain")
  func unlisted() throws {
    let stage = try SyncStage(["a", "b"])
    _ = try stage.sync()
    stage.server.claim("a", nil)
    let before = stage.count
    #expect(try stage.sync().outcomes == [.unchanged, .unchanged])
    #expect(stage.asked(since: before) == ["changes _expected=0", "a _expected=0&_since=1000"])
  }

  @Test("a sync continues after a source fails, and returns the error of the first source that failed")
  func oneFails() throws {
    let stage = try SyncStage()
    stage.server.answer("b", .success(.answer(500)))
    stage.server.answer("c", .failure(RemoraError(.network, "no connection")))
    let report = try stage.sync()
    #expect(report.outcomes == [.updated, .failed, .failed, .updated])
    #expect(report.codes == [nil, .http, .network, nil])
    let error = try #require(report.error)
    #expect(error.code == .http)
    #expect(error.httpStatus == 500)
    #expect(error.message.hasPrefix("2 of 4 sources failed; first failure: main/b: the server "))
  }

  @Test("a sync refuses a collection with an invalid signature, and updates the other collections")
  func signature() throws {
    let plain = try SignedServer.onOwnHost()
    let server = try MonitoredServer(["a", "b"], base: plain.base)
    for name in ["a", "b"] { server[name].put("r", at: 1000) }
    let scene = try Scene(server: plain, transport: ScriptedTransport { server.answer($0.url) })
    let handles = try ["a", "b"].map { name in try scene.open { $0.collection = name } }
    var forged = try server["a"].changeset()
    forged.signatures = [signatureObject(forgedSignature, x5u: plain.x5u)]
    server.answer("a", .success(forged.response))
    let report = try scene.client.sync(timeoutMs: -1)
    #expect(report.outcomes == [.refused, .updated])
    #expect(report.codes == [.signatureMismatch, nil])
    #expect(handles[0].keys.isEmpty)
  }

  @Test(
    "if the list of collections cannot be fetched, all sources of that server fail, and other servers are synced",
    arguments: [
      (.success(.answer(500)), .http), (.success(.answer(200, "<html>")), .parse),
      (.success(.answer(200, #"{"timestamp":1}"#)), .format), (.success(.answer(307)), .redirect),
      (.success(.answer(307, "", [("Location", "https://elsewhere.example/v2/")])), .redirect),
      (.failure(RemoraError(.network, "no connection")), .network),
    ] as [(HTTPOutcome, RemoraError.Code)])
  func monitorFails(outcome: HTTPOutcome, code: RemoraError.Code) throws {
    let stage = try SyncStage(["a", "b"])
    let other = try MonitoredServer(["o"], base: "https://other.example/v2")
    other["o"].put("r", at: 1000)
    let server = stage.server
    stage.scene.transport.answer {
      $0.url.hasPrefix("https://other.example/") ? other.answer($0.url) : server.answer($0.url)
    }
    let elsewhere = try stage.scene.open {
      $0.server = "https://other.example"
      $0.collection = "o"
      $0.requiresSignature = false
    }
    server.answer("changes", outcome)
    let report = try stage.sync()
    #expect(report.codes == [code, code, nil])
    #expect(report.outcomes[2] == .updated)
    #expect(elsewhere.keys == ["r"])
    #expect(stage.count == 3)
    server.answer("changes", nil)
    #expect(try stage.sync().outcomes == [.updated, .updated, .unchanged])
  }

  @Test("a redirect of the list of collections within its origin is followed")
  func redirected() throws {
    let stage = try SyncStage(["a"])
    let server = stage.server
    stage.scene.transport.answer { request in
      guard request.url.hasSuffix("changes/changeset?_expected=0") else { return server.answer(request.url) }
      return .success(.answer(307, "", [("Location", "changeset?_expected=1")]))
    }
    #expect(try stage.sync().outcomes == [.updated])
    #expect(stage.asked() == ["changes _expected=0", "a _expected=1000", "changes _expected=1"])
  }

  @Test("a Retry-After header in the response to the list of collections is obeyed, even after a restart")
  func backoff() throws {
    let directory = try TemporaryDirectory()
    let stage = try SyncStage(["a", "b"], in: directory)
    stage.server.answer("changes", .success(.answer(503, "", [("Retry-After", "60")])))
    #expect(try stage.sync().codes == [.http, .http])
    stage.server.answer("changes", nil)
    let report = try stage.sync()
    #expect(report.codes == [.backoff, .backoff])
    #expect(report.error?.retryAfterMs == 60_000)
    #expect(stage.handles[0].refresh().error?.code == .backoff)
    #expect(stage.count == 1)
    let again = try SyncStage(["a"], in: directory, base: stage.scene.server.base)
    #expect(try again.sync().codes == [.backoff])
    #expect(again.count == 0)
    stage.scene.clock.advance(byMs: 60_000)
    #expect(try stage.sync().outcomes == [.updated, .updated])
  }

  @Test("a backoff header of the list of collections delays the next sync, but not the current one")
  func backoffWithAnswer() throws {
    let stage = try SyncStage()
    let server = stage.server
    stage.scene.transport.answer { request in
      guard case .success(var answer) = server.answer(request.url) else { return nil }
      if request.url.contains("/changes/") { answer.headers.add(name: "Backoff", value: "60", nowMs: TestTime.nowMs) }
      return .success(answer)
    }
    #expect(try stage.sync().outcomes == [.updated, .updated, .updated, .updated])
    #expect(try stage.handles[0].source.info().retryAfterMs == 60_000)
    #expect(try stage.sync().codes == [.backoff, .backoff, .backoff, .backoff])
    stage.scene.clock.advance(byMs: 60_000)
    for name in ["a", "b", "c", "d"] { server[name].put("s", at: 2000) }
    stage.server.answer("a", .success(.answer(503, "", [("Retry-After", "600")])))
    _ = try stage.sync()
    #expect(try stage.handles[0].source.info().retryAfterMs == 600_000)
    #expect(stage.handles[1].refresh().error?.code == .backoff)
  }

  @Test("a server that sends the same backoff header with each response does not stop the sync of many collections")
  func backoffWithEachAnswer() throws {
    let stage = try SyncStage((0..<10).map { "c\($0)" })
    let (server, clock) = (stage.server, stage.scene.clock)
    stage.scene.transport.answer { request in
      guard case .success(var answer) = server.answer(request.url) else { return nil }
      clock.advance(byMs: 20)
      answer.headers.add(name: "Backoff", value: "60", nowMs: TestTime.nowMs)
      return .success(answer)
    }
    #expect(try stage.sync().outcomes == Array(repeating: .updated, count: 10))
    #expect(try stage.sync().codes == Array(repeating: .backoff, count: 10))
  }

  @Test("if only the timestamp in the server's list changes, a source's version and time of last success do not change")
  func lies() throws {
    let stage = try SyncStage(["a"])
    _ = try stage.sync()
    let first = try stage.handles[0].source.info()
    stage.scene.clock.advance(byMs: 5000)
    #expect(try stage.sync().outcomes == [.unchanged])
    let second = try stage.handles[0].source.info()
    #expect(second.checkedAtMs == first.checkedAtMs)
    #expect(second.attemptedAtMs == first.attemptedAtMs)
    #expect(second.checkedAgeMs == 5000)
    stage.server.claim("a", .max)
    let before = stage.count
    #expect(try stage.sync().outcomes == [.unchanged])
    stage.server.claim("a", -5)
    #expect(try stage.sync().outcomes == [.unchanged])
    #expect(
      stage.scene.transport.requests.dropFirst(before).map(\.short) == [
        "changes _expected=0", "a _expected=\(Int64.max)&_since=1000", "changes _expected=0",
        "a _expected=0&_since=1000",
      ])
    #expect(stage.handles[0].version == 1000)
  }

  @Test("if the server lists a new timestamp but sends an older collection, the outcome of the source is NOT_NEWER")
  func notNewer() throws {
    let stage = try SyncStage(["a"])
    stage.server["a"].put("r", at: 3000)
    _ = try stage.sync()
    stage.server.answer("a", .success(try SignedServer().changeset().response))
    stage.server.claim("a", 4000)
    let report = try stage.sync()
    #expect(report.outcomes == [.notNewer])
    #expect(report.error == nil)
    #expect(report.unchanged == 1)
  }

  @Test("if the server lists a timestamp that is not above the local one, the request has no expected timestamp")
  func listBehind() throws {
    let stage = try SyncStage(["a"])
    _ = try stage.sync()
    stage.server.claim("a", 999)
    #expect(try stage.sync().outcomes == [.unchanged])
    #expect(try stage.handles[0].source.refresh(RefreshManner(expected: 999), timeoutMs: -1).error == nil)
    #expect(try stage.handles[0].source.refresh(RefreshManner(expected: 1001), timeoutMs: -1).error == nil)
    #expect(
      stage.scene.transport.requests.dropFirst(2).map(\.short) == [
        "changes _expected=0", "a _expected=0&_since=1000", "a _expected=0&_since=1000",
        "a _expected=1001&_since=1000",
      ])
  }

  @Test("packaged data that is newer than its server's list is verified by a request without an expected timestamp")
  func packagedAhead() throws {
    let stage = try SyncStage(["a"])
    stage.handles[0].close()
    let packaged = #"{"data":[\#(record("r", at: 1000))],"timestamp":1000}"#
    _ = try stage.scene.open {
      $0.collection = "a"
      $0.requiresSignature = false
      $0.packaged = .bytes(Array(packaged.utf8))
    }
    stage.server.claim("a", 999)
    #expect(try stage.sync().outcomes == [.updated])
    #expect(stage.asked() == ["changes _expected=0", "a _expected=0&_since=1000"])
  }

  @Test("if the server's list and then the collection have a timestamp below the accepted one, each is a warning")
  func restored() throws {
    let lines = Box<[String]>([])
    let stage = try SyncStage(["a"], log: Log(level: .warning) { line in lines.update { $0.append(line.text) } })
    _ = try stage.sync()
    let older = try SignedServer()
    older.put("r", at: 900)
    stage.server.claim("a", 900)
    stage.server.answer("a", .success(try older.changeset().response))
    #expect(try stage.sync().outcomes == [.notNewer])
    stage.scene.client.close()
    #expect(
      lines.read { $0 } == [
        "collection main/a: the server's list of collections has version 900, which is below the accepted version 1000",
        "collection main/a: the server's data is not used, because its version 900 is below the accepted version 1000; "
          + "if the server was restored to this version on purpose, reset the source",
      ])
  }

  @Test("if packaged data is unverified, a sync requests the collection even if the server lists the data's timestamp")
  func packaged() throws {
    let stage = try SyncStage(["a"])
    stage.handles[0].close()
    let packaged = #"{"data":[\#(record("r", at: 1000))],"timestamp":1000}"#
    let handle = try stage.scene.open {
      $0.collection = "a"
      $0.requiresSignature = false
      $0.packaged = .bytes(Array(packaged.utf8))
    }
    #expect(try handle.source.info().origin == .packaged)
    #expect(try stage.sync().outcomes == [.updated])
    #expect(try stage.sync().outcomes == [.unchanged])
    #expect(stage.count == 3)
  }

  @Test("if two clients that share a directory sync at the same time, both have the fetched data afterwards")
  func adopted() throws {
    let directory = try TemporaryDirectory()
    let first = try SyncStage(["a"], in: directory)
    let base = first.scene.server.base
    let second = try SyncStage(["a"], in: directory, base: base)
    // The worker's own look must not come in between.
    let busy = try BusyWorker()
    let ends = Box<[SyncReport]>([])
    let (client, other) = (first.scene.client, second.scene.client)
    _ = try client.syncAsync { report in ends.update { $0.append(report) } }
    _ = try other.syncAsync { report in ends.update { $0.append(report) } }
    busy.release()
    #expect(ends.wait { $0.count == 2 })
    #expect(ends.read { $0.allSatisfy { $0.outcomes == [.updated] || $0.outcomes == [.unchanged] } })
    #expect(first.handles[0].keys == ["r"])
    #expect(second.handles[0].keys == ["r"])
  }

  @Test("a sync of a client without sources does nothing")
  func empty() throws {
    let scene = try Scene()
    #expect(try scene.client.sync(timeoutMs: -1).items.isEmpty)
    let ends = Box(0)
    _ = try scene.client.syncAsync { report in ends.update { $0 += report.items.isEmpty ? 1 : 100 } }
    #expect(ends.wait { $0 == 1 })
    #expect(scene.transport.requests.isEmpty)
  }
}
