// SPDX-License-Identifier: Apache-2.0
//
// Refreshes whose document is decoded while it arrives: only a complete and valid one has an effect.

import Testing

@testable import Remora

@Suite("Decoding of responses while they arrive", .serialized)
struct ArrivingDocumentTests {
  let scene: Scene
  let source: OpenSource
  let ends = Completions([])
  private let lost = RemoraError(.network, "the connection was lost")

  init() throws {
    scene = try Scene(in: TemporaryDirectory())
    scene.server.put("a", at: 1000)
    source = try scene.open()
    #expect(source.refresh().outcome == .updated)
    scene.server.put("b", largeField, at: 2000)
  }

  /// Starts a refresh whose first request is held.
  private func begin() throws {
    let (server, transport) = (scene.server, scene.transport)
    let count = transport.requests.count
    transport.answer { [unowned transport] in
      transport.requests.count == count ? nil : .success(server.answer($0.url))
    }
    _ = try source.source.refreshAsync(into: ends)
    #expect(transport.waitForRequests(count + 1))
  }

  private var answer: HTTPResponse { scene.server.answer("changeset?_since=1000") }

  /// Parts of a body, of 100,000 bytes each, up to an end.
  private func parts(of body: [UInt8], upTo end: Int) -> [[UInt8]] {
    (stride(from: 100_000, to: end, by: 100_000) + [end]).map { Array(body[..<$0]) }
  }

  @Test("a document whose parts were decoded while they arrived is used when its body is complete")
  func complete() throws {
    try begin()
    let answer = answer
    scene.transport.arrive(parts(of: answer.body, upTo: answer.body.count))
    scene.transport.release(.success(answer))
    #expect(ends.outcomes() == [.updated])
    #expect(source.keys == ["a", "b"])
  }

  @Test("if the connection is lost after a part of a document was decoded, nothing changes", arguments: 0..<23)
  func lostAfterPart(number: Int) throws {
    try begin()
    let answer = answer
    let end = max(1, answer.body.count * number / 22)
    scene.transport.arrive(parts(of: answer.body, upTo: min(end, answer.body.count)))
    scene.transport.release(.failure(lost))
    #expect(ends.wait { $0.first?.error == lost })
    #expect(source.keys == ["a"])
    #expect(source.refresh().outcome == .updated)
    #expect(source.keys == ["a", "b"])
  }

  @Test("a document that is invalid after parts of it were decoded is refused, and changes nothing")
  func invalid() throws {
    try begin()
    var body = answer.body
    body[200_000] = 0
    scene.transport.arrive(parts(of: body, upTo: body.count))
    scene.transport.release(.success(HTTPResponse(status: 200, url: "", body: body)))
    #expect(ends.wait { $0.first?.error?.code == .parse && $0.first?.error?.httpStatus == 200 })
    #expect(source.keys == ["a"])
  }

  @Test("a transfer that fails after an invalid part has arrived is reported as a failed transfer")
  func invalidAndLost() throws {
    try begin()
    scene.transport.arrive([Array("}".utf8)])
    scene.transport.release(.failure(lost))
    #expect(ends.wait { $0.first?.error == lost })
  }

  @Test("while a document arrives, another source can be refreshed and an override can be set")
  func othersGoOn() throws {
    try begin()
    let body = answer.body
    scene.transport.arrive(parts(of: body, upTo: 200_000))
    let other = try scene.open { $0.bucket = "other" }
    #expect(other.refresh().outcome == .updated)
    try source.set("a", "/v", "2")
    #expect(source.keys == ["a"])
    scene.transport.release(.success(answer))
    #expect(ends.outcomes() == [.updated])
    #expect(source.keys == ["a", "b"])
  }

  @Test("if newer data is stored while a diff arrives, the diff is dropped and changes since that data are requested")
  func replacedBase() throws {
    let transport = scene.transport
    let forced = try beginTwo(scene, source)
    let earlier = answer
    transport.arrive(parts(of: earlier.body, upTo: 300_000), toHeld: 1)
    scene.server.put("c", at: 3000)
    transport.release(.success(answer))
    #expect(ends.outcomes() == [.updated])
    transport.release(.success(earlier))
    #expect(forced.outcomes() == [.unchanged])
    #expect(transport.urls.last == "changeset?_expected=0&_since=3000")
    #expect(source.keys == ["a", "b", "c"])
  }

  @Test("if newer data is stored while an older full document arrives, that document is not used")
  func replacedByFull() throws {
    let scene = try Scene(in: TemporaryDirectory())
    scene.server.put("a", largeField, at: 2000)
    let source = try scene.open()
    let forced = try beginTwo(scene, source)
    let earlier = scene.server.answer("changeset")
    scene.transport.arrive(parts(of: earlier.body, upTo: 300_000), toHeld: 1)
    scene.server.put("b", at: 3000)
    scene.transport.release(.success(scene.server.answer("changeset")))
    #expect(ends.outcomes() == [.updated])
    let count = scene.transport.requests.count
    scene.transport.release(.success(earlier))
    #expect(forced.outcomes() == [.notNewer])
    #expect(scene.transport.requests.count == count)
    #expect(source.keys == ["a", "b"])
  }

  /// Starts a refresh and a forced one, whose requests are held. Returns the results of the forced one.
  private func beginTwo(_ scene: Scene, _ source: OpenSource) throws -> Completions {
    let (server, transport) = (scene.server, scene.transport)
    let count = transport.requests.count
    transport.answer { [unowned transport] in
      transport.requests.count < count + 2 ? nil : .success(server.answer($0.url))
    }
    _ = try source.source.refreshAsync(into: ends)
    #expect(transport.waitForRequests(count + 1))
    let forced = Completions([])
    _ = try source.source.refreshAsync(isForced: true, into: forced)
    #expect(transport.waitForRequests(count + 2))
    return forced
  }

  @Test("a refresh that is cancelled while its document arrives does not affect the next one")
  func cancelled() throws {
    let transport = scene.transport
    transport.answer { _ in nil }
    let count = transport.requests.count
    let waiter = try source.source.refreshAsync(into: ends)
    #expect(transport.waitForRequests(count + 1))
    transport.arrive(parts(of: answer.body, upTo: 200_000))
    source.source.cancel(waiter)
    #expect(ends.outcomes() == [.failed])
    let server = scene.server
    transport.answer { .success(server.answer($0.url)) }
    #expect(source.refresh().outcome == .updated)
    #expect(source.keys == ["a", "b"])
  }

  @Test("if parts of a document arrive before an error response, the refresh fails with the status of that response")
  func status() throws {
    try begin()
    scene.transport.arrive(parts(of: answer.body, upTo: 200_000))
    scene.transport.release(.success(.answer(503, "", [("Retry-After", "30")])))
    #expect(ends.wait { $0.first?.error?.httpStatus == 503 })
    #expect(source.keys == ["a"])
  }
}

/// A member that makes the document of a record larger than 256 KiB.
private let largeField = #""v":["# + (0..<60_000).map { "\($0)" }.joined(separator: ",") + "]"
