// SPDX-License-Identifier: Apache-2.0
//
// What a server without the signer's key can confirm: nothing that counts as a successful check.

import Testing

@testable import Remora

@Suite("Responses without changes of a collection whose signatures are verified")
struct ConfirmationTests {
  @Test("an empty diff without a valid signature does not change the time of the last successful refresh")
  func unsigned() throws {
    let scene = try Scene()
    scene.server.put("a", at: 1000)
    let handle = try scene.open()
    handle.refresh()
    let before = try handle.source.info().checkedAtMs
    scene.clock.advance(byMs: 5000)
    for signatures in [[], [signatureObject(forgedSignature, x5u: scene.server.x5u)]] {
      let empty = Changeset(changes: [], timestamp: 1000, signatures: signatures).response
      let server = scene.server
      scene.transport.answer { .success($0.url.hasSuffix(".pem") ? server.answer($0.url) : empty) }
      let count = scene.transport.requests.count
      #expect(handle.refresh().outcome == .refused)
      let asked = scene.transport.urls.dropFirst(count).filter { $0 != "chain.pem" }
      #expect(asked == ["changeset?_expected=0&_since=1000", "changeset?_expected=0"])
    }
    #expect(try handle.source.info().checkedAtMs == before)
    #expect(handle.keys == ["a"])
    let server = scene.server
    scene.transport.answer { .success(server.answer($0.url)) }
    #expect(handle.refresh().outcome == .unchanged)
    #expect(try handle.source.info().checkedAtMs == scene.clock.nowMs)
  }

  @Test("an ETag is sent only while the certificate chain of the stored data is valid")
  func conditional() throws {
    let scene = try Scene()
    scene.server.put("a", at: 1000)
    let handle = try scene.open()
    let server = scene.server
    scene.transport.answer { request in
      if request.ifNoneMatch != nil { return .success(.answer(304)) }
      var answer = server.answer(request.url)
      answer.headers.add(name: "ETag", value: "\"e\"", nowMs: 0)
      return .success(answer)
    }
    handle.refresh()
    #expect(handle.refresh().outcome == .unchanged)
    scene.clock.advance(byMs: 5000)
    #expect(handle.refresh().outcome == .unchanged)
    #expect(scene.transport.requests.map(\.ifNoneMatch) == [nil, nil, nil, "\"e\""])
    let checked = try handle.source.info().checkedAtMs
    #expect(checked == scene.clock.nowMs)
    // The chain expires 1000 seconds after the start.
    scene.clock.advance(byMs: 1_000_000)
    #expect(handle.refresh().error?.code == .certificateExpired)
    #expect(scene.transport.requests.dropFirst(4).allSatisfy { $0.ifNoneMatch == nil })
    #expect(try handle.source.info().checkedAtMs == checked)
  }
}
