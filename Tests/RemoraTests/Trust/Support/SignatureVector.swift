// SPDX-License-Identifier: Apache-2.0
//
// The shared content-signature vectors: real chains and signatures of other projects.

import CJansson
import Testing

@testable import Remora

/// One folder with a case.json.
struct SignatureVector: Sendable, CustomTestStringConvertible {
  let name: String
  let signature: String
  let message: [UInt8]
  let messageIncludesPrefix: Bool
  let expected: String
  let root: String?
  let signer: String?
  let atMs: Int64
  let chain: [UInt8]?
  let publicKey: [UInt8]?

  var testDescription: String { name }

  /// All cases, sorted by name; none without the variable.
  static let all: [SignatureVector] =
    Vectors.names(in: "content-signatures").compactMap { SignatureVector(folder: "content-signatures/\($0)") }

  /// The bytes of a file below the folder of content signatures.
  static func bytes(_ path: String) -> [UInt8] { Vectors.bytes("content-signatures/\(path)") ?? [] }

  /// Reads a case; nil for a folder without one.
  private init?(folder: String) {
    guard let json = json_load_file(Vectors.path("\(folder)/case.json"), 0, nil) else { return nil }
    defer { json_decref(json) }
    func text(_ key: String) -> String? {
      json_string_value(json_object_get(json, key)).map { String(cString: $0) }
    }
    guard let name = text("name"), let signature = text("signature_b64url"), let expected = text("expected"),
      let message = text("message_file").flatMap({ Vectors.bytes("\(folder)/\($0)") })
    else { return nil }
    self.name = name
    self.signature = signature
    self.expected = expected
    self.message = message
    messageIncludesPrefix = json_object_get(json, "message_includes_prefix")?.pointee.type == JSON_TRUE
    root = text("root_sha256")
    signer = text("signer_name")
    atMs = json_integer_value(json_object_get(json, "at_epoch")) * 1000
    chain = text("chain_file").flatMap { Vectors.bytes("\(folder)/\($0)") }
    publicKey = text("spki_b64").flatMap { Base64.standard.decode($0.utf8) }
  }

  /// The digest that the signature is over.
  func digest() throws -> [UInt8] {
    var digest = messageIncludesPrefix ? try MessageDigest() : try MessageDigest.ofSignedContent()
    digest.update(message)
    return digest.finish()
  }

  /// The key that the case is to be verified with: from its chain at its instant, or given.
  func key() throws -> SignerKey {
    guard let chain, let root, let signer else { return try SignerKey(trusting: publicKey ?? []) }
    return try verifyChain(pem: chain, root: RootPin(hex: root), signer: signer, atMs: atMs)
  }

  /// The codes that the expected class of error may have; empty for "ok".
  var expectedCodes: [RemoraError.Code]? {
    switch expected {
    case "ok": []
    case "cert_subject": [.certificateSubject]
    case "cert_validity": [.certificateExpired]
    case "chain_malformed": [.chainMalformed]
    case "root_mismatch": [.rootMismatch]
    case "root_mismatch_or_chain": [.rootMismatch, .chainInvalid]
    case "signature_malformed": [.signatureMalformed]
    case "signature_mismatch": [.signatureMismatch]
    default: nil
    }
  }
}
