// SPDX-License-Identifier: Apache-2.0
//
// How a caller wants a refresh: after an announcement, and with a limit for an asynchronous call.

import Testing

@testable import Remora

@Suite("Refreshes with a version from a push message, or with a time limit")
struct RefreshMannerTests {
  let scene: Scene
  let source: Source
  private let handle: OpenSource
  private let ends = Completions([])

  init() throws {
    scene = try Scene()
    scene.server.put("a", at: 1000)
    handle = try scene.open()
    source = handle.source
  }

  private func refresh(expected: Int64 = 0, timeoutMs: Int64 = -1) throws {
    _ = try source.refreshAsync(RefreshManner(expected: expected), timeoutMs: timeoutMs) {
      [ends] result in ends.update { $0.append(result) }
    }
  }

  private func answerAll() {
    let server = scene.server
    scene.transport.answer { .success(server.answer($0.url)) }
    for request in scene.transport.requests { scene.transport.release(.success(server.answer(request.url))) }
  }

  @Test("the version from a push message is sent to the server as the parameter _expected")
  func announced() throws {
    let result = try source.refresh(RefreshManner(expected: 1000), timeoutMs: -1)
    #expect(result.outcome == .updated)
    #expect(scene.transport.urls == ["changeset?_expected=1000", "chain.pem"])
  }

  @Test("a refresh with the version of a push message does not share a running request without that version")
  func notShared() throws {
    scene.transport.answer { _ in nil }
    try refresh()
    #expect(scene.transport.waitForRequests(1))
    try refresh(expected: 2000)
    answerAll()
    #expect(ends.outcomes(2) == [.updated, .unchanged])
    #expect(scene.transport.urls.filter { $0.hasPrefix("changeset") }.count == 2)
    #expect(scene.transport.urls.last?.contains("_expected=2000") == true)
  }

  @Test("a refresh with the same push version as a running request shares it, and so does a refresh without a version")
  func shared() throws {
    scene.transport.answer { _ in nil }
    try refresh(expected: 1000)
    #expect(scene.transport.waitForRequests(1))
    try refresh(expected: 1000)
    try refresh()
    answerAll()
    #expect(ends.outcomes(3) == [.updated, .updated, .updated])
    #expect(scene.transport.urls == ["changeset?_expected=1000", "chain.pem"])
  }

  @Test("an asynchronous refresh that times out cancels its request if no other caller waits for it")
  func limit() throws {
    scene.transport.answer { _ in nil }
    try refresh(timeoutMs: 1)
    #expect(ends.outcomes() == [.failed])
    #expect(ends.read { $0[0].error?.code } == .timeout)
    #expect(scene.transport.cancelCount == 1)
  }

  @Test("an asynchronous refresh with timeout 0 sends no request")
  func noTime() throws {
    try refresh(timeoutMs: 0)
    #expect(ends.outcomes() == [.failed])
    #expect(ends.read { $0[0].error?.code } == .timeout)
    #expect(scene.transport.requests.isEmpty)
  }
}
