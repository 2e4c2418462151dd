// SPDX-License-Identifier: Apache-2.0
//
// What telemetry is told: each outcome that the reference client tells apart, and what it cost.

import Testing

@testable import Remora

@Suite("Reports of refresh attempts (on_attempt)")
struct AttemptTests {
  private let seen = Box<[String]>([])
  private let costs = Box<[Attempt.Figures]>([])
  private let scene: Scene
  private let handle: OpenSource

  init() throws {
    let (seen, costs) = (seen, costs)
    scene = try Scene(onAttempt: { attempt in
      costs.update { $0.append(attempt.figures) }
      let code = attempt.result.error.map { "\($0.code)" } ?? "-"
      seen.update {
        $0.append(
          "\(attempt.source.name) \(attempt.result.outcome) \(code) \(attempt.figures.httpStatus)")
      }
    })
    scene.server.put("a", at: 1000)
    handle = try scene.open()
  }

  private func lines(_ count: Int) -> [String] {
    _ = seen.wait { $0.count >= count }
    return seen.read { $0 }
  }

  @Test("the attempt reports distinguish success, up to date, network, server, backoff and signature errors")
  func seven() throws {
    handle.refresh()
    handle.refresh()
    scene.transport.answer { _ in .failure(RemoraError(.network, "no connection")) }
    handle.refresh()
    var forged = try scene.server.changeset(since: 1000)
    forged.changes = [record("b", at: 2000)]
    forged.timestamp = 2000
    let (server, answer) = (scene.server, forged.response)
    scene.transport.answer { $0.url.hasSuffix(".pem") ? .success(server.answer($0.url)) : .success(answer) }
    handle.refresh()
    scene.transport.answer { _ in .success(.answer(200, "[]")) }
    handle.refresh()
    scene.transport.answer { _ in .success(.answer(500, "", [("Backoff", "60")])) }
    handle.refresh()
    handle.refresh()
    #expect(
      lines(7) == [
        "main/c updated - 200", "main/c unchanged - 200", "main/c failed network 0",
        "main/c refused signatureMismatch 200", "main/c refused format 200", "main/c failed http 500",
        "main/c failed backoff 0",
      ])
  }

  @Test("the byte count of an attempt report includes the document and the certificate chain")
  func bytes() throws {
    handle.refresh()
    _ = lines(1)
    let expected = try scene.server.changeset().body.utf8.count + scene.server.chain.pem.utf8.count
    #expect(costs.read { $0[0].bytes } == Int64(expected))
    #expect(costs.read { (0..<20_000).contains($0[0].durationMs) })
  }

  @Test("cancelled refreshes are not reported as attempts")
  func givenUp() throws {
    scene.transport.answer { _ in nil }
    let ends = Completions([])
    let ticket = try handle.source.refreshAsync(into: ends)
    #expect(scene.transport.waitForRequests(1))
    handle.source.cancel(ticket)
    #expect(ends.outcomes() == [.failed])
    try drainWorker()
    #expect(seen.read(\.isEmpty))
  }

  @Test("a sync reports an attempt for the list of collections and for each source, also for one without a request")
  func sync() throws {
    let monitor = #"{"changes":[{"bucket":"main","collection":"c","last_modified":1000}]}"#
    let server = scene.server
    scene.transport.answer {
      .success($0.url.contains("/monitor/") ? .answer(200, monitor) : server.answer($0.url))
    }
    #expect(try scene.client.sync(timeoutMs: -1).outcomes == [.updated])
    #expect(try scene.client.sync(timeoutMs: -1).outcomes == [.unchanged])
    scene.transport.answer { _ in .success(.answer(500)) }
    #expect(try scene.client.sync(timeoutMs: -1).codes == [.http])
    #expect(
      lines(5) == [
        "monitor/changes updated - 200", "main/c updated - 200", "monitor/changes updated - 200",
        "main/c unchanged - 0", "monitor/changes failed http 500",
      ])
  }
}
