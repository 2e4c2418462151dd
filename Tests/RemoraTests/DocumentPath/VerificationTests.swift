// SPDX-License-Identifier: Apache-2.0
//
// The verify step: several signatures, chains from the cache and from the server, and the one full refetch.

import Testing

@testable import Remora

@Suite("Verification of a collection's signatures and certificate chain")
struct VerificationTests {
  let server: SignedServer

  init() throws {
    server = try SignedServer()
    server.put("a", at: 1000)
    server.put("b", at: 2000)
  }

  /// The server's full answer with other signatures around the good one.
  private func walk(
    _ before: [String], goodAt x5u: String = SignedServer.x5u, script: (Gather) throws -> HTTPOutcome? = { _ in nil }
  ) throws -> Walk {
    try server.walk { gather in
      if let outcome = try script(gather) { return outcome }
      if gather.isChain { return nil }
      var full = try server.changeset()
      let good = try server.sign(full.changes, at: full.timestamp)
      full.signatures = before + [signatureObject(good, x5u: x5u)]
      return .success(full.response)
    }
  }

  @Test(
    "if the first signature of a collection is invalid, the second one is used",
    arguments: [
      signatureObject(forgedSignature), signatureObject("not base64!"), signatureObject("AAAA"),
      signatureObject(forgedSignature, mode: "mldsa65"), signatureObject(forgedSignature, x5u: "nonsense"),
      signatureObject(forgedSignature, x5u: "https://elsewhere.example/chain.pem"), #"{"mode":"p384ecdsa"}"#, "null",
    ])
  func secondSignature(first: String) throws {
    #expect(try walk([first]).outcome == "updated")
  }

  @Test(
    "if the certificate chain of the first signature cannot be fetched, the second signature is used",
    arguments: [404, 503] as [Int32])
  func unreachableFirst(status: Int32) throws {
    let first = signatureObject(forgedSignature, x5u: "https://settings.example/gone.pem")
    let walk = try walk([first]) { gather in
      gather.url.description.hasSuffix("gone.pem") ? .success(.answer(status)) : nil
    }
    #expect(walk.urls == ["changeset?_expected=0", "gone.pem", "chain.pem"])
    #expect(walk.outcome == "updated")
  }

  @Test("at most eight signatures of a collection are tried")
  func tooMany() throws {
    let bad = (0..<20).map { signatureObject(forgedSignature, x5u: "https://settings.example/\($0).pem") }
    let walk = try walk(bad) { gather in gather.isChain ? .success(.answer(404)) : nil }
    #expect(walk.urls.count == 9)
    #expect(walk.urls.last == "7.pem")
    #expect(walk.outcome == "http")
  }

  @Test("if no signature is valid, the error states the reason for each of them")
  func everyReason() throws {
    let first = signatureObject(forgedSignature, x5u: "https://settings.example/gone.pem")
    let walk = try walk([first], goodAt: "https://elsewhere.example/chain.pem") { gather in
      gather.isChain ? .success(.answer(404)) : nil
    }
    let error = try #require(walk.error)
    #expect(error.code == .chainLocation)
    #expect(error.message.contains("elsewhere.example"))
    #expect(error.message.contains("answered /gone.pem with HTTP status 404"))
  }

  @Test("a signature of an unknown mode is skipped, and a collection without any other signature is unsigned")
  func unknownMode() throws {
    #expect(try walk([signatureObject(forgedSignature, mode: "x")]).urls == ["changeset?_expected=0", "chain.pem"])
    let only = try server.walk { gather in
      var full = try server.changeset()
      full.signatures = [signatureObject(forgedSignature, mode: "x")]
      return .success(full.response)
    }
    #expect(only.outcome == "signatureMissing")
  }

  @Test("the member 'signature' of the metadata is used if the list 'signatures' is missing")
  func singleSignature() throws {
    let full = try server.changeset()
    let body = """
      {"timestamp":\(full.timestamp),"metadata":{"signature":\(full.signatures[0])},\
      "changes":[\(full.changes.joined(separator: ","))]}
      """
    #expect(try server.walk { $0.isChain ? nil : .success(.answer(200, body)) }.outcome == "updated")
  }

  @Test(
    "a certificate chain whose URL is on an untrusted host is refused without a request to that host",
    arguments: [
      ("https://elsewhere.example/", "elsewhere.example"), ("http://elsewhere.example/", "elsewhere.example"),
      ("http://0x7f.1.elsewhere.example/", "0x7f.1.elsewhere.example"),
      ("http://[::ffff:10.0.0.1]/", "[::ffff:"),
      ("http://user:secret@elsewhere.example/", "has a user name or password in it"),
      ("http://127.0.0.1@elsewhere.example/", "has a user name or password in it"),
    ])
  func foreignHost(base: String, named: String) throws {
    let walk = try server.walk { gather in
      var full = try server.changeset()
      full.signatures = [signatureObject(forgedSignature, x5u: base + "chain.pem")]
      return .success(full.response)
    }
    #expect(walk.outcome == "chainLocation")
    let message = try #require(walk.error?.message)
    #expect(message.contains(named))
    #expect(!message.contains("secret"))
    #expect(walk.urls == ["changeset?_expected=0"])
  }

  @Test("a collection of the bucket security-state is refused if its certificate names the signer of other buckets")
  func signerName() throws {
    let signer = TrustPolicy.defaultSigner(bucket: "security-state")
    let dialect = try server.dialect(
      bucket: "security-state", policy: .required(root: server.chain.pin, signer: signer))
    let walk = try server.walk(dialect: dialect)
    #expect(walk.outcome == "certificateSubject")
    #expect(walk.image == nil)
  }

  @Test("a certificate chain is fetched once and then cached by its URL until it expires")
  func cachedChain() throws {
    let chains = ChainCache()
    #expect(try server.walk(chains: chains).urls == ["changeset?_expected=0", "chain.pem"])
    #expect(try server.walk(chains: chains).urls == ["changeset?_expected=0"])
    let afterwards = TestTime.nowMs + 2_000_000
    let walk = try server.walk(chains: chains, nowMs: afterwards)
    #expect(walk.urls == ["changeset?_expected=0", "chain.pem"])
    #expect(walk.outcome == "certificateExpired")
  }

  @Test("if a signature fails because the server has replaced its certificate chain, the chain is fetched once more")
  func replacedChain() throws {
    let chains = ChainCache()
    _ = try server.walk(chains: chains)
    var renewed = server.chain
    let intermediate = renewed.certificates[1]
    renewed.certificates[0] = try TestCertificate(.leaf.around(TestTime.now), issuer: intermediate)
    let other = try SignedServer(chain: renewed)
    other.put("a", at: 3000)
    let walk = try other.walk(dialect: server.dialect(), chains: chains)
    #expect(walk.urls == ["changeset?_expected=0", "chain.pem"])
    #expect(walk.outcome == "updated")
    #expect(try other.walk(dialect: server.dialect(), chains: chains).urls == ["changeset?_expected=0"])
  }

  @Test("a signature that is invalid under both a cached and a newly fetched certificate chain is refused")
  func forgedUnderCachedChain() throws {
    let chains = ChainCache()
    _ = try server.walk(chains: chains)
    let walk = try server.walk(chains: chains) { gather in
      if gather.isChain { return nil }
      var full = try server.changeset()
      full.signatures = [signatureObject(forgedSignature)]
      return .success(full.response)
    }
    #expect(walk.urls == ["changeset?_expected=0", "chain.pem"])
    #expect(walk.outcome == "signatureMismatch")
  }

  @Test("after a diff fails its verification, the whole collection is requested once and used if it is valid")
  func refetch() throws {
    let base = try server.image()
    server.put("c", at: 3000)
    let walk = try server.walk(since: base) { gather in
      guard gather.isDiff else { return nil }
      var diff = try server.changeset(since: 2000)
      diff.changes = []
      return .success(diff.response)
    }
    #expect(walk.urls == ["changeset?_expected=0&_since=2000", "chain.pem", "changeset?_expected=0"])
    #expect(walk.outcome == "updated")
    #expect(walk.keys == ["a", "b", "c"])
  }

  @Test("if both the diff and the full response fail their verification, the refresh fails after two requests")
  func refusedTwice() throws {
    let base = try server.image()
    server.put("c", at: 3000)
    let walk = try server.walk(since: base) { gather in
      if gather.isChain { return nil }
      var answer = try server.changeset(since: gather.isDiff ? 2000 : nil)
      answer.signatures = [signatureObject(forgedSignature)]
      return .success(answer.response)
    }
    #expect(walk.outcome == "signatureMismatch")
    #expect(walk.urls.filter { $0.hasPrefix("changeset") }.count == 2)
  }

  @Test("a collection is refused if a record was changed, removed or added, or if its timestamp was changed")
  func tampered() throws {
    let good = try server.changeset()
    var record = good
    record.changes[0] = record.changes[0].replacing(#""v":1"#, with: #""v":2"#)
    var timestamp = good
    timestamp.timestamp += 1
    var missing = good
    missing.changes.removeLast()
    var added = good
    added.changes.append(addedRecord)
    for answer in [record, timestamp, missing, added] {
      let walk = try server.walk { $0.isChain ? nil : .success(answer.response) }
      #expect(walk.outcome == "signatureMismatch")
    }
  }

  private let addedRecord = record("z", at: 1500)

  @Test(
    "a response is refused if its certificate chain is not in PEM format",
    arguments: ["", "<html>", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
  func noChain(pem: String) throws {
    let walk = try server.walk { $0.isChain ? .success(.answer(200, pem)) : nil }
    #expect(walk.outcome == "chainMalformed")
  }
}
