// SPDX-License-Identifier: Apache-2.0
//
// A server of static files ignores the query of a URL, so it always answers with the whole collection.

import Testing

@testable import Remora

@Suite("Collections on a server that ignores the parameter _since")
struct StaticServerTests {
  let directory: TemporaryDirectory
  let server: SignedServer

  init() throws {
    directory = try TemporaryDirectory()
    server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
    server.put("b", at: 2000)
  }

  private func scene() throws -> Scene {
    let server = server
    let transport = ScriptedTransport { request in
      if request.url.hasSuffix(".pem") { return .success(server.answer(request.url)) }
      guard var answer = try? server.changeset().response else { return .success(.answer(500)) }
      if request.ifNoneMatch != nil { return .success(.answer(304)) }
      answer.headers.add(name: "ETag", value: "\"e\"", nowMs: 0)
      return .success(answer)
    }
    return try Scene(in: directory, server: server, transport: transport)
  }

  @Test(
    "with and without signatures, deletions are applied, and later requests have one URL", arguments: [true, false])
  func deletions(isSigned: Bool) throws {
    let first = try scene()
    let handle = try first.open { $0.requiresSignature = isSigned }
    handle.refresh()
    server.remove("a", at: 3000)
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.keys == ["b"])
    #expect(handle.refresh().outcome == .unchanged)
    #expect(handle.refresh().outcome == .unchanged)
    #expect(
      first.transport.urls.filter { $0 != "chain.pem" } == [
        "changeset?_expected=0", "changeset?_expected=0&_since=2000", "changeset?_expected=0", "changeset?_expected=0",
      ])
    #expect(first.transport.requests.last?.ifNoneMatch != nil)
    first.client.close()
    let second = try scene()
    #expect(try second.open { $0.requiresSignature = isSigned }.refresh().outcome == .unchanged)
    #expect(second.transport.urls == ["changeset?_expected=0"])
    #expect(second.transport.requests[0].ifNoneMatch != nil)
  }

  @Test("without signatures, a collection whose records were all replaced is correct after the next refresh")
  func replaced() throws {
    let scene = try scene()
    let handle = try scene.open { $0.requiresSignature = false }
    handle.refresh()
    for id in ["a", "b"] { server.remove(id, at: 3000) }
    for id in ["c", "d"] { server.put(id, at: 4000) }
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.keys == ["a", "b", "c", "d"])
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.keys == ["c", "d"])
    #expect(handle.refresh().outcome == .unchanged)
  }

  @Test("with and without signatures, a collection without records replaces all records", arguments: [true, false])
  func emptied(isSigned: Bool) throws {
    let scene = try scene()
    let handle = try scene.open { $0.requiresSignature = isSigned }
    handle.refresh()
    server.remove("a", at: 3000)
    server.remove("b", at: 4000)
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.keys.isEmpty)
    #expect(handle.refresh().outcome == .unchanged)
  }

  @Test("with signatures, different content with the same timestamp is refused although the server ignores _since")
  func equivocation() throws {
    let scene = try scene()
    let handle = try scene.open()
    handle.refresh()
    server.remove("a", at: 2000)
    let result = handle.refresh()
    #expect(result.outcome == .refused)
    #expect(result.error?.code == .equivocation)
    #expect(handle.keys == ["a", "b"])
  }

  @Test("after a reset, changes are requested again")
  func reset() throws {
    let scene = try scene()
    let handle = try scene.open()
    for _ in 0..<3 { handle.refresh() }
    #expect(scene.transport.urls.last == "changeset?_expected=0")
    try handle.source.reset()
    let server = server
    scene.transport.answer { .success(server.answer($0.url)) }
    handle.refresh()
    handle.refresh()
    #expect(scene.transport.urls.last == "changeset?_expected=0&_since=2000")
  }
}
