// SPDX-License-Identifier: Apache-2.0
//
// The one path, walked step by step: full answers, diffs, redirects, and answers that say nothing new.

import Testing

@testable import Remora

@Suite("Requests and responses of a refresh of a signed collection")
struct RefreshPathTests {
  let server: SignedServer

  init() throws {
    server = try SignedServer()
    server.put("a", at: 1000)
    server.put("b", at: 2000)
  }

  @Test("the first refresh requests the whole collection and verifies its signature")
  func full() throws {
    let walk = try server.walk()
    #expect(walk.outcome == "updated")
    #expect(walk.urls == ["changeset?_expected=0", "chain.pem"])
    #expect(walk.keys == ["a", "b"])
    let metadata = try #require(walk.image).metadata
    #expect(metadata.version == 2000)
    #expect(metadata.isVerified)
    #expect(metadata.signature.hasPrefix("p384ecdsa ") && metadata.signature.hasSuffix(SignedServer.x5u))
    #expect(metadata.identity == (try server.dialect().identity))
    #expect([metadata.epoch, metadata.generation] == [7, 3])
    #expect(metadata.fetchedAtMs == TestTime.nowMs)
  }

  @Test("a diff is merged with the current records, and the signature of the merged collection is verified")
  func diff() throws {
    let base = try server.image()
    server.put("b", #""v":2"#, at: 3000)
    server.put("0", at: 3001)
    server.put("z", at: 3002)
    server.remove("a", at: 3003)
    let walk = try server.walk(since: base)
    #expect(walk.urls == ["changeset?_expected=0&_since=2000", "chain.pem"])
    #expect(walk.outcome == "updated")
    let whole = try server.image()
    #expect(walk.keys == ["0", "b", "z"])
    #expect(try text(of: walk.image) == text(of: whole))
  }

  @Test("the signature of an empty diff is verified over the current records")
  func emptyDiff() throws {
    let walk = try server.walk(since: server.image())
    #expect(walk.outcome == "unchanged")
    #expect(walk.urls == ["changeset?_expected=0&_since=2000", "chain.pem"])
  }

  @Test(
    "an empty diff without a valid signature is refused, and the whole collection is requested once",
    arguments: [[], [signatureObject(forgedSignature)], [signatureObject("*?")]])
  func unsignedEmptyDiff(signatures: [String]) throws {
    for isFullGenuine in [true, false] {
      let walk = try server.walk(since: server.image()) { gather in
        if gather.isChain || (isFullGenuine && !gather.isDiff) { return nil }
        var empty = try server.changeset(since: 2000)
        empty.signatures = signatures
        return .success(empty.response)
      }
      #expect(walk.urls.filter { $0 != "chain.pem" } == ["changeset?_expected=0&_since=2000", "changeset?_expected=0"])
      #expect((walk.outcome == "unchanged") == isFullGenuine)
      #expect((walk.error == nil) == isFullGenuine)
    }
  }

  @Test("an empty diff with the signature of the current records needs no request for the certificate chain")
  func knownEmptyDiff() throws {
    let empty = try server.changeset(since: 2000)
    for (untilMs, urls) in [(TestTime.nowMs + 1, 1), (TestTime.nowMs, 2)] {
      let walk = try server.walk(since: server.image(), signature: empty.known(untilMs: untilMs)) { gather in
        gather.isChain ? nil : .success(empty.response)
      }
      #expect(walk.outcome == "unchanged")
      #expect(walk.urls.count == urls)
    }
  }

  @Test("an empty diff that has the same bytes as the previous response is not parsed again")
  func repeatedEmptyDiff() throws {
    let base = try server.image()
    let changeset = try server.changeset(since: 2000)
    let (empty, signature) = (changeset.response, try changeset.known())
    var other = empty
    other.body.append(UInt8(ascii: "}"))
    func path(_ confirmation: [UInt8], since base: Image?) throws -> RefreshPath {
      let dialect = try server.dialect()
      return try RefreshPath(
        dialect, first: dialect.request(since: base, expected: 0), confirmation: confirmation, base: base,
        signature: signature, limits: VersionLimits(floor: 0, rule: dialect.versions), epoch: 0, generation: 3,
        hashSeed: .test)
    }
    func isUnchanged(_ path: inout RefreshPath, _ response: HTTPResponse) -> Bool {
      guard case .unchanged? = try? path.advance(.success(response), chains: ChainCache(), nowMs: TestTime.nowMs) else {
        return false
      }
      return true
    }
    var first = try path([], since: base)
    #expect(isUnchanged(&first, empty))
    #expect(first.confirmation == empty.body)
    // What is no JSON shows that nothing is decoded.
    var repeated = try path(other.body, since: base)
    #expect(isUnchanged(&repeated, other))
    var changed = try path(first.confirmation, since: base)
    #expect(!isUnchanged(&changed, other))
    var redirected = try path(other.body, since: base)
    _ = try redirected.advance(
      .success(.answer(302, "", [("Location", "/elsewhere")])), chains: ChainCache(), nowMs: TestTime.nowMs)
    #expect(!isUnchanged(&redirected, other))
    var withoutBase = try path(other.body, since: nil)
    #expect(!isUnchanged(&withoutBase, other))
  }

  @Test("an empty diff with a later timestamp is verified and changes the version")
  func emptyDiffWithNewTimestamp() throws {
    let base = try server.image()
    server.touch(at: 2500)
    let walk = try server.walk(since: base)
    #expect(walk.outcome == "updated")
    #expect(walk.image?.metadata.version == 2500)
    #expect(walk.keys == ["a", "b"])
  }

  @Test("the outcome of a full response with the current timestamp and records is UNCHANGED")
  func sameFullAnswer() throws {
    let walk = try server.walk(since: server.image()) { gather in
      gather.isChain ? nil : .success(try server.changeset().response)
    }
    #expect(walk.outcome == "unchanged")
  }

  @Test(
    "if a response to a request for changes has an unchanged record, it is the whole collection",
    arguments: [true, false])
  func ignoredSince(isSigned: Bool) throws {
    let base = try server.image()
    server.put("c", at: 3000)
    server.remove("a", at: 3001)
    let dialect = try server.dialect(policy: isSigned ? nil : .off)
    let walk = try server.walk(since: base, dialect: dialect) { gather in
      var full = try server.changeset()
      full.changes.append(#"{"id":"gone","deleted":true}"#)
      return gather.isChain ? nil : .success(full.response)
    }
    #expect(walk.outcome == "updated")
    #expect(walk.keys == ["b", "c"])
    #expect(walk.urls == ["changeset?_expected=0&_since=2000"] + (isSigned ? ["chain.pem"] : []))
  }

  @Test("if a response with an unchanged record has an invalid signature, the whole collection is requested once")
  func ignoredSinceRefused() throws {
    let base = try server.image()
    server.put("c", at: 3000)
    let walk = try server.walk(since: base) { gather in
      guard gather.isDiff else { return nil }
      var part = try server.changeset()
      part.changes.removeFirst()
      return .success(part.response)
    }
    #expect(walk.outcome == "updated")
    #expect(walk.keys == ["a", "b", "c"])
  }

  @Test("a tombstone (a deleted record in a diff) whose record id is unknown is ignored")
  func unknownTombstone() throws {
    let base = try server.image()
    server.put("x", at: 2100)
    server.remove("x", at: 2200)
    let walk = try server.walk(since: base)
    #expect(walk.outcome == "updated")
    #expect(walk.keys == ["a", "b"])
  }

  @Test(
    "the tombstones of protocol v1 and of protocol v2 both delete a record",
    arguments: [#"{"id":"a","deleted":true}"#, #"{"id":"a","last_modified":3000,"deleted":true}"#])
  func tombstones(form: String) throws {
    let base = try server.image()
    server.remove("a", at: 3000)
    let walk = try server.walk(since: base) { gather in
      var diff = try server.changeset(since: 2000)
      diff.changes = [form]
      return gather.isChain ? nil : .success(diff.response)
    }
    #expect(walk.keys == ["b"])
  }

  @Test("deleted records that a full response lists are not added to the collection")
  func tombstonesInFullAnswer() throws {
    let walk = try server.walk { gather in
      var full = try server.changeset()
      full.changes.append(#"{"id":"gone","deleted":true}"#)
      return gather.isChain ? nil : .success(full.response)
    }
    #expect(walk.keys == ["a", "b"])
  }

  @Test(
    "if the packaged data is newer than the server's, the whole collection is requested",
    arguments: [true, false])
  func packagedFromTheFuture(isSigned: Bool) throws {
    let later = try SignedServer()
    later.put("packaged", at: 9000)
    let dialect = try server.dialect(policy: isSigned ? nil : .off)
    let walk = try server.walk(since: later.image(), floor: 0, dialect: dialect)
    #expect(walk.outcome == "updated")
    #expect(walk.urls.prefix(2) == ["changeset?_expected=0&_since=9000", "changeset?_expected=0"])
    #expect(walk.keys == ["a", "b"])
    #expect(walk.image?.metadata.version == 2000)
  }

  @Test("a server that was set back is asked for changes only, and its data is not used")
  func serverSetBack() throws {
    let later = try SignedServer()
    later.put("fetched", at: 9000)
    let walk = try server.walk(since: later.image(), dialect: server.dialect(policy: .off))
    #expect(walk.outcome == "notNewer")
    #expect(walk.urls == ["changeset?_expected=0&_since=9000"])
  }

  @Test("a record with the member deleted:false is a normal record, and its signature covers that member")
  func notDeleted() throws {
    server.put("c", #""deleted":false"#, at: 3000)
    let walk = try server.walk()
    #expect(walk.keys == ["a", "b", "c"])
  }

  @Test("with signatures turned off, only the collection is requested, and its data is marked as unverified")
  func policyOff() throws {
    let dialect = try server.dialect(policy: .off)
    let walk = try server.walk(dialect: dialect) { gather in
      var full = try server.changeset()
      full.signatures = []
      return gather.isChain ? nil : .success(full.response)
    }
    #expect(walk.outcome == "updated")
    #expect(walk.urls == ["changeset?_expected=0"])
    #expect(walk.image?.metadata.isVerified == false)
  }

  @Test("after HTTP status 304, the outcome is UNCHANGED if the certificate chain of the current records is valid")
  func notModified() throws {
    let known = try server.changeset().known()
    let walk = try server.walk(since: server.image(), signature: known) { _ in .success(.answer(304)) }
    #expect(walk.outcome == "unchanged")
    #expect(walk.urls.count == 1)
    for signature in [nil, try server.changeset().known(untilMs: TestTime.nowMs)] {
      let walk = try server.walk(since: server.image(), signature: signature) { _ in .success(.answer(304)) }
      #expect(walk.error?.httpStatus == 304)
    }
  }

  @Test("HTTP status 304 is an error if the client has no verified data")
  func notModifiedWithoutBase() throws {
    #expect(try server.walk { _ in .success(.answer(304)) }.error?.httpStatus == 304)
    let packaged = try server.dialect().compile(.bytes(Array(#"{"data":[],"timestamp":1}"#.utf8))).image
    #expect(try server.walk(since: packaged) { _ in .success(.answer(304)) }.error?.httpStatus == 304)
  }

  @Test("if a diff is refused and the full request returns HTTP status 304, the refresh fails with status 304")
  func notModifiedAfterRefusal() throws {
    let base = try server.image()
    server.put("c", at: 3000)
    let walk = try server.walk(since: base, signature: server.changeset().known()) { gather in
      if gather.isChain { return nil }
      guard gather.isDiff else { return .success(.answer(304)) }
      var diff = try server.changeset(since: 2000)
      diff.signatures = [signatureObject(forgedSignature)]
      return .success(diff.response)
    }
    #expect(walk.error?.httpStatus == 304)
  }

  @Test(
    "a refresh fails with the HTTP status of any response other than 200 and redirects",
    arguments: (100...599).filter { ![200, 301, 302, 303, 304, 307, 308].contains($0) })
  func statuses(status: Int32) throws {
    let walk = try server.walk(since: server.image()) { _ in .success(.answer(status, "nothing")) }
    #expect(walk.error?.code == .http)
    #expect(walk.error?.httpStatus == status)
    #expect(walk.urls.count == 1)
  }

  @Test("the error of a failed refresh contains the delay that the server requested")
  func retryAfter() throws {
    let walk = try server.walk { _ in .success(.answer(503, "", [("Retry-After", "7")])) }
    #expect(walk.error?.retryAfterMs == 7000)
  }

  @Test("if the certificate chain request fails with Retry-After, the full collection is not requested")
  func pausedChain() throws {
    let base = try server.image()
    server.put("c", at: 3000)
    let walk = try server.walk(since: base) { gather in
      gather.isChain ? .success(.answer(503, "", [("Retry-After", "7")])) : nil
    }
    #expect(walk.urls == ["changeset?_expected=0&_since=2000", "chain.pem"])
    #expect(walk.error?.code == .http && walk.error?.retryAfterMs == 7000)
  }

  @Test(
    "the error about an invalid or unsigned collection contains the HTTP status of the response",
    arguments: [
      ("<html>", RemoraError.Code.parse), ("{}", .format),
      (#"{"changes":[],"timestamp":9,"metadata":{}}"#, .signatureMissing),
    ])
  func statusOfRefusal(body: String, code: RemoraError.Code) throws {
    let walk = try server.walk { _ in .success(.answer(200, body)) }
    #expect(walk.error?.code == code)
    #expect(walk.error?.httpStatus == 200)
  }

  @Test("the error about an invalid signature, timestamp or redirect contains the HTTP status of the response")
  func statusBehindSignature() throws {
    let forged = try server.walk { gather in
      var full = try server.changeset()
      full.signatures = [signatureObject(forgedSignature)]
      return gather.isChain ? nil : .success(full.response)
    }
    #expect(forged.outcome == "signatureMismatch")
    #expect(forged.error?.httpStatus == 200)
    let redirected = try server.walk { _ in .success(.answer(302, "", [("Location", "https://other.example/")])) }
    #expect(redirected.outcome == "redirect")
    #expect(redirected.error?.httpStatus == 302)
    server.put("a", at: TestTime.nowMs + 2 * dayMs)
    let future = try server.walk()
    #expect(future.outcome == "future")
    #expect(future.error?.httpStatus == 200)
  }

  @Test("a refresh fails with the network error of its request")
  func transportError() throws {
    let error = RemoraError(.network, "no route")
    #expect(try server.walk { _ in .failure(error) }.error == error)
  }
}

/// The whole of an image as text.
func text(of image: Image?) throws -> String { try Snapshot(base: #require(image), origin: .fetched).text() }
