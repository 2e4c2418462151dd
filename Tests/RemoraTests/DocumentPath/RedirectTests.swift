// SPDX-License-Identifier: Apache-2.0
//
// Redirects on the path: how many, where to, and what an answer without the `_since` that was asked for means.

import Testing

@testable import Remora

@Suite("Redirects of a collection request")
struct RedirectTests {
  let server: SignedServer
  let base: Image

  init() throws {
    server = try SignedServer()
    server.put("a", at: 1000)
    server.put("b", at: 2000)
    base = try server.image()
    server.remove("a", at: 3000)
    server.put("c", at: 4000)
  }

  private func redirect(_ status: Int32 = 307, to location: String) -> HTTPOutcome {
    .success(.answer(status, "", [("Location", location)]))
  }

  @Test("a redirect that drops the parameter _since returns the full collection, so deleted records disappear")
  func withoutSince() throws {
    let walk = try server.walk(since: base) { gather in
      gather.isDiff ? redirect(to: "\(SignedServer.base)/buckets/main/collections/c/changeset?_expected=0") : nil
    }
    #expect(walk.urls == ["changeset?_expected=0&_since=2000", "changeset?_expected=0", "chain.pem"])
    #expect(walk.outcome == "updated")
    #expect(walk.keys == ["b", "c"])
  }

  @Test("a redirect that keeps the parameter _since still returns a diff")
  func withSince() throws {
    let walk = try server.walk(since: base) { gather in
      gather.redirects == 0 && gather.isDiff ? redirect(to: "?_expected=2001&_since=2000") : nil
    }
    #expect(walk.urls == ["changeset?_expected=0&_since=2000", "changeset?_expected=2001&_since=2000", "chain.pem"])
    #expect(walk.keys == ["b", "c"])
  }

  @Test("each HTTP redirect status is followed", arguments: [301, 302, 303, 307, 308] as [Int32])
  func statuses(status: Int32) throws {
    let walk = try server.walk { gather in
      gather.redirects == 0 && !gather.isChain ? redirect(status, to: "?_expected=2") : nil
    }
    #expect(walk.urls == ["changeset?_expected=0", "changeset?_expected=2", "chain.pem"])
    #expect(walk.outcome == "updated")
  }

  @Test("five redirects are followed, and the sixth is refused", arguments: [(5, "updated"), (6, "redirect")])
  func limit(count: Int, outcome: String) throws {
    let walk = try server.walk { gather in
      gather.redirects < count && !gather.isChain ? redirect(to: "?_expected=\(gather.redirects + 1)") : nil
    }
    #expect(walk.outcome == outcome)
    #expect(walk.urls.filter { $0 != "chain.pem" }.count == 6)
  }

  @Test(
    "a redirect to another origin or to an invalid URL is refused without another request",
    arguments: [
      "https://elsewhere.example/v2/x", "http://settings.example/v2/x", "https://settings.example:8443/v2/x",
      "//elsewhere.example/x", "ftp://settings.example/x", "https://user@settings.example/x", "https://", "http://[",
    ])
  func elsewhere(location: String) throws {
    let walk = try server.walk(since: base) { _ in redirect(to: location) }
    #expect(walk.outcome == "redirect")
    #expect(walk.urls.count == 1)
  }

  @Test("a redirect without a Location header is refused")
  func noLocation() throws {
    let walk = try server.walk { _ in .success(.answer(302)) }
    #expect(walk.outcome == "redirect")
    #expect(walk.error?.httpStatus == 302)
  }

  @Test("a redirect of a certificate chain request is followed within the same origin, and refused to another origin")
  func ofChain() throws {
    let walk = try server.walk { gather in
      gather.isChain && gather.redirects == 0 ? redirect(to: "/other.pem") : nil
    }
    #expect(walk.urls == ["changeset?_expected=0", "chain.pem", "other.pem"])
    #expect(walk.outcome == "updated")
    #expect(
      try server.walk { $0.isChain ? redirect(to: "https://elsewhere.example/x.pem") : nil }.outcome == "redirect")
  }
}
