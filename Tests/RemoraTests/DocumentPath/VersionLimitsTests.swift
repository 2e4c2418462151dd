// SPDX-License-Identifier: Apache-2.0
//
// Genuine content that is out of place: from the future, from the past, or a second truth under one timestamp.

import Testing

@testable import Remora

@Suite("Accepted timestamps of a collection")
struct FreshnessTests {
  let server: SignedServer
  private let nowMs = TestTime.nowMs
  private let day = CollectionDialect.defaultFutureMs

  init() throws {
    server = try SignedServer()
    server.put("a", at: 1000)
  }

  @Test("a timestamp of at most one day ahead of the clock is accepted, and a later one is refused")
  func future() throws {
    server.put("a", at: nowMs + day)
    #expect(try server.walk().outcome == "updated")
    server.put("a", at: nowMs + day + 1)
    let walk = try server.walk()
    #expect(walk.outcome == "future")
    #expect(walk.image == nil)
  }

  @Test("if the limit for timestamps ahead of the clock is turned off, any later timestamp is accepted")
  func noLimit() throws {
    server.put("a", at: .max)
    #expect(try server.walk(dialect: server.dialect(maximumFutureMs: nil)).image?.metadata.version == .max)
    #expect(try server.walk().outcome == "future")
  }

  @Test("the outcome of a signed response that is older than the highest accepted version is NOT_NEWER")
  func older() throws {
    let old = try server.changeset()
    server.put("a", at: 2000)
    let base = try server.image()
    let walk = try server.walk(since: base) { gather in
      gather.isChain ? nil : .success(gather.isDiff ? .answer(307, "", [("Location", "?_expected=0")]) : old.response)
    }
    #expect(walk.outcome == "notNewer")
    #expect(try server.walk(floor: 2001).outcome == "notNewer")
    #expect(try server.walk(floor: 2000).outcome == "updated")
  }

  @Test("a signed response is refused if it has the timestamp of the current version but other records")
  func equivocation() throws {
    let base = try server.image()
    server.put("a", #""v":2"#, at: 1000)
    #expect(
      try server.walk(since: base) { gather in
        gather.isChain ? nil : .success(try server.changeset().response)
      }.outcome == "equivocation")
  }

  /// Packaged data of the server's present state, with further fields.
  private func packaged(_ changeset: Changeset, timestamp: Int64) throws -> Image {
    let json = #"{"data":[\#(changeset.changes.joined(separator: ","))],"timestamp":\#(timestamp)}"#
    return try server.dialect().compile(.bytes(Array(json.utf8))).image
  }

  @Test("the first request asks for changes since the packaged data; a signed empty diff verifies that data")
  func packagedBase() throws {
    let base = try packaged(server.changeset(), timestamp: 1000)
    #expect(base.metadata.isPackaged)
    let walk = try server.walk(since: base)
    #expect(walk.urls == ["changeset?_expected=0&_since=1000", "chain.pem"])
    #expect(walk.outcome == "updated")
    #expect(walk.image?.metadata.isVerified == true)
    #expect(walk.image?.metadata.isPackaged == false)
    #expect(walk.keys == ["a"])
  }

  @Test("packaged data that differs from signed data with the same timestamp is replaced by the signed data")
  func wrongPackagedBase() throws {
    var other = try server.changeset()
    other.changes = [record("a", #""v":"other""#, at: 1000), record("x", at: 900)]
    let walk = try server.walk(since: packaged(other, timestamp: 1000))
    #expect(walk.outcome == "updated")
    #expect(walk.keys == ["a"])
    #expect(walk.urls == ["changeset?_expected=0&_since=1000", "chain.pem", "changeset?_expected=0"])
  }

  @Test("signed data replaces packaged data, even if the packaged data has a later timestamp")
  func packagedAhead() throws {
    let base = try packaged(server.changeset(), timestamp: 5000)
    let walk = try server.walk(since: base) { gather in
      gather.isChain ? nil : .success(try server.changeset().response)
    }
    #expect(walk.outcome == "updated")
    #expect(walk.image?.metadata.version == 1000)
  }
}
