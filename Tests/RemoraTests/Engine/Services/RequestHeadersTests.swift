// SPDX-License-Identifier: Apache-2.0
//
// Headers that the host replaces, and pauses after a refusal of its credentials.

import Testing

@testable import Remora

@Suite("Headers that the host replaces while a client is open")
struct RequestHeadersTests {
  let directory: TemporaryDirectory
  let server: SignedServer
  let clock = ManualClock()

  init() throws {
    directory = try TemporaryDirectory()
    server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
  }

  private func scene() throws -> Scene { try Scene(in: directory, server: server, clock: clock, headers: ["A: 1"]) }

  private func headers(of scene: Scene) -> [[String]] { scene.transport.requests.map(\.options.headers) }

  /// Lets the server refuse the credentials, and request a pause of a minute.
  private func refuse(_ scene: Scene, _ handle: OpenSource, _ status: Int32) {
    scene.transport.answer { _ in .success(.answer(status, "", [("Retry-After", "60")])) }
    #expect(handle.refresh().error?.httpStatus == status)
    scene.transport.answer { [server] in .success(server.answer($0.url)) }
  }

  @Test("requests that start later have the replaced headers")
  func later() throws {
    let scene = try scene()
    let handle = try scene.open()
    handle.refresh()
    let count = scene.transport.requests.count
    #expect(Set(headers(of: scene)) == [["A: 1"]])
    try scene.client.setHeaders(["A: 2", "B: 3"])
    handle.refresh()
    #expect(headers(of: scene).count > count && Set(headers(of: scene).dropFirst(count)) == [["A: 2", "B: 3"]])
    try scene.client.setHeaders([])
    handle.refresh()
    #expect(headers(of: scene).last == [])
  }

  @Test("invalid headers are refused, and the earlier ones stay")
  func invalid() throws {
    let scene = try scene()
    for line in ["A", "Range: x", "A: b\r\nC: d", ": x", "A: \u{0}"] {
      let error = #expect(throws: RemoraError.self) { try scene.client.setHeaders(["B: 1", line]) }
      #expect(error?.parameter == "headers")
    }
    try scene.open().refresh()
    #expect(headers(of: scene).first == ["A: 1"])
    scene.client.close()
    #expect(throws: RemoraError.closed) { try scene.client.setHeaders([]) }
  }

  @Test(
    "a pause after a refusal holds for one client, is not stored, and ends with new headers",
    arguments: [401, 403] as [Int32])
  func refusal(status: Int32) throws {
    let (first, second) = try (scene(), scene())
    let (refused, other) = try (first.open(), second.open())
    refuse(first, refused, status)
    #expect(try refused.source.info().retryAfterMs == 60_000)
    #expect(refused.refresh().error?.code == .backoff)
    #expect(try other.source.info().retryAfterMs == 0)
    #expect(other.refresh().outcome == .updated)
    // The verified response has stored the server's ledger; the pause is still not in it.
    let third = try scene()
    #expect(try third.open().source.info().retryAfterMs == 0)
    #expect(refused.refresh().error?.code == .backoff)
    try first.client.setHeaders(["A: 2"])
    #expect(refused.refresh().error == nil)
  }

  @Test("a pause after a refusal does not shorten or hide a pause that all clients obey")
  func both() throws {
    let scene = try scene()
    let handle = try scene.open()
    refuse(scene, handle, 401)
    try scene.client.setHeaders([])
    scene.transport.answer { _ in .success(.answer(503, "", [("Retry-After", "30")])) }
    handle.refresh()
    try scene.client.setHeaders(["A: 2"])
    #expect(handle.refresh().error?.retryAfterMs == 30_000)
    let second = try self.scene()
    #expect(try second.open().source.info().retryAfterMs == 30_000)
  }
}
