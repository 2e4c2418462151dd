// SPDX-License-Identifier: Apache-2.0
//
// A Remote Settings server of version 2 in memory: one collection with its history, signed by the tests' own chain.

import Testing

@testable import Remora

/// One answer to be signed, or lied about, before it is sent.
struct Changeset {
  /// Records and tombstones as JSON.
  var changes: [String]
  var timestamp: Int64
  /// Members of `metadata.signatures` as JSON.
  var signatures: [String]
  /// Members of `metadata` that name the collection, each with a comma behind it; none names none.
  var names = ""

  var body: String {
    """
    {"changes":[\(changes.joined(separator: ","))],"timestamp":\(timestamp),\
    "metadata":{\(names)"signatures":[\(signatures.joined(separator: ","))]}}
    """
  }

  var response: HTTPResponse { .answer(200, body) }
}

/// `@unchecked Sendable`: the history is in a box, and OpenSSL's keys and certificates only sign here.
final class SignedServer: @unchecked Sendable {
  /// The base and chain of a server without a host of its own.
  static let base = "https://settings.example/v2"
  static let x5u = "https://settings.example/chain.pem"

  private struct State {
    var timestamp: Int64 = 0
    var records: [String: (json: String, at: Int64)] = [:]
    var tombstones: [String: Int64] = [:]
  }

  /// Issued once; only ever read.
  nonisolated(unsafe) private static let sharedChain = Result {
    try TestChain(
      root: .root.around(TestTime.now), intermediates: [.intermediate.around(TestTime.now)],
      leaf: .leaf.around(TestTime.now))
  }

  private static let hosts = Box(0)

  let chain: TestChain
  let base: String
  let x5u: String
  private let state = Box(State())

  init(chain: TestChain? = nil, base: String = SignedServer.base) throws {
    self.chain = try chain ?? Self.sharedChain.get()
    self.base = base
    x5u = base.dropLast(2) + "chain.pem"
  }

  /// A server on a host that no other test uses: the engine remembers chains by their URLs.
  static func onOwnHost() throws -> SignedServer {
    let number = hosts.update {
      $0 += 1; return $0
    }
    return try SignedServer(base: "https://settings-\(number).example/v2")
  }

  /// Writes a record; `fields` are further members as JSON.
  func put(_ id: String, _ fields: String = #""v":1"#, at timestamp: Int64) {
    state.update { state in
      state.records[id] = (record(id, fields, at: timestamp), timestamp)
      state.tombstones[id] = nil
      state.timestamp = timestamp
    }
  }

  func remove(_ id: String, at timestamp: Int64) {
    state.update { state in
      state.records[id] = nil
      state.tombstones[id] = timestamp
      state.timestamp = timestamp
    }
  }

  /// Moves the timestamp of a collection whose records stay.
  func touch(at timestamp: Int64) { state.update { $0.timestamp = timestamp } }

  /// The signed answer: everything, or what changed since a timestamp.
  func changeset(since: Int64? = nil) throws -> Changeset {
    let (timestamp, records, tombstones) = state.read { ($0.timestamp, $0.records, $0.tombstones) }
    let all = records.sorted { $0.key < $1.key }.map(\.value)
    let signature = signatureObject(try sign(all.map(\.json), at: timestamp), x5u: x5u)
    guard let since else {
      return Changeset(changes: all.map(\.json), timestamp: timestamp, signatures: [signature])
    }
    let gone = tombstones.filter { $0.value > since }.keys.sorted().map { #"{"id":"\#($0)","deleted":true}"# }
    return Changeset(
      changes: all.filter { $0.at > since }.map(\.json) + gone, timestamp: timestamp, signatures: [signature])
  }

  /// The signature over a list of records that is sorted by id.
  func sign(_ records: [String], at timestamp: Int64) throws -> String {
    let data = try records.map { try canonical($0) }.joined(separator: ",")
    return try chain.leafKey.signature(of: #"{"data":[\#(data)],"last_modified":"\#(timestamp)"}"#)
  }

  /// The usual answer to a URL. As Mozilla's server does, it refuses an expected version below `_since`.
  func answer(_ url: String) -> HTTPResponse {
    do {
      if url.hasSuffix(".pem") { return .answer(200, chain.pem) }
      let since = number("_since", in: url)
      if let since, let expected = number("_expected", in: url), expected > 0, expected < since { return .answer(400) }
      return try changeset(since: since).response
    } catch {
      return .answer(500, "\(error)")
    }
  }

  /// A transport to this server.
  func transport() -> ScriptedTransport { ScriptedTransport { [self] in .success(answer($0.url)) } }

  /// The rules of a collection on this server.
  func dialect(
    bucket: String = "main", policy: TrustPolicy? = nil, maximumFutureMs: Int64? = CollectionDialect.defaultFutureMs
  ) throws -> CollectionDialect {
    try CollectionDialect(
      server: CollectionServer(base), bucket: bucket, collection: "c",
      policy: policy ?? .required(root: chain.pin, signer: TestChain.signer), maximumFutureMs: maximumFutureMs)
  }
}

/// The number that a query item of a URL has; nil without one.
private func number(_ item: String, in url: String) -> Int64? {
  url.split(whereSeparator: { $0 == "?" || $0 == "&" }).first { $0.hasPrefix("\(item)=") }
    .flatMap { Int64($0.dropFirst(item.utf8.count + 1)) }
}

extension CertificateTemplate {
  /// The same claims, valid around an instant in seconds since 1970, or until another one.
  func around(_ instant: Int, until end: Int? = nil) -> CertificateTemplate {
    var template = self
    template.from = instant - 1000
    template.until = end ?? instant + 1000
    return template
  }
}

/// A record as JSON.
func record(_ id: String, _ fields: String = #""v":1"#, at timestamp: Int64) -> String {
  #"{"id":"\#(id)","last_modified":\#(timestamp)\#(fields.isEmpty ? "" : ",")\#(fields)}"#
}

/// A member of `metadata.signatures`.
func signatureObject(_ signature: String, mode: String = "p384ecdsa", x5u: String = SignedServer.x5u) -> String {
  #"{"mode":"\#(mode)","signature":"\#(signature)","x5u":"\#(x5u)"}"#
}

/// Well-formed, and made by nobody: r and s are 1.
let forgedSignature = base64URL(Array(repeating: 0, count: 47) + [1] + Array(repeating: 0, count: 47) + [1])
