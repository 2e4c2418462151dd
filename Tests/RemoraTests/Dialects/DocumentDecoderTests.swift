// SPDX-License-Identifier: Apache-2.0
//
// A document of each kind of source that arrives in pieces, and one that never arrives completely.

import Testing

@testable import Remora

@Suite("Decoding of documents that arrive in pieces")
struct DocumentDecoderTests {
  /// A kind of source, and a document of it that has each of its parts.
  enum Kind: CaseIterable {
    case collection, bundle, settings, settingsInMember

    var document: String {
      switch self {
      case .collection:
        #"{"metadata":{"bucket":"main","id":"c","signatures":[{"mode":"p384ecdsa","signature":"s","x5u":"u"}]},"#
          + #""timestamp":7,"more":[1],"changes":[{"id":"b","last_modified":7,"filter_expression":"true"},"#
          + #"{"id":"a","last_modified":6,"v":{"w":[1.5,"x"]}},{"id":"gone","deleted":true}]}"#
      case .bundle: "\u{FEFF}" + bundleText("7", bundleElement("b"), #"{"namespace":"c"}"#, #"{"other":1}"#)
      case .settings: #"{"b":[1,2],"a":null,"":0,"_ab":{"x":{}},"c":{"d":1.5}}"#
      case .settingsInMember: #"{"before":{"a":1},"settings":{"b":[1,2],"a":"x"},"after":[1]}"#
      }
    }

    func decoder() throws -> any DocumentDecoder {
      switch self {
      case .collection: return try SignedServer(base: SignedServer.base).dialect().decoder()
      case .bundle:
        let schema = try BundleSchema(BundleSchema.snowplow)
        return BundleDialect(nil, name: "", schema: schema, defaultVersion: nil).decoder()
      case .settings, .settingsInMember:
        var options = SettingsOptions()
        options.url = "https://h.example/x"
        options.rootKey = self == .settings ? nil : "settings"
        return try options.dialect().decoder()
      }
    }
  }

  @Test("a document that arrives in two pieces equals one that arrives at once", arguments: Kind.allCases)
  func pieces(kind: Kind) throws {
    let bytes = Array(kind.document.utf8)
    let whole = try text(try kind.decoder().finishing(bytes))
    for cut in 3..<bytes.count {
      let decoder = try kind.decoder()
      try bytes.withUnsafeBytes { bytes in
        try decoder.decode(DocumentText(UnsafeRawBufferPointer(rebasing: bytes[..<cut])))
      }
      let document = try decoder.finishing(bytes)
      #expect(try text(document) == whole)
      #expect(document.hasMark == (kind == .bundle))
    }
  }

  @Test(
    "a document that is truncated at any byte is refused, whether or not its first part is already decoded",
    arguments: Kind.allCases)
  func truncated(kind: Kind) throws {
    let bytes = Array(kind.document.utf8)
    for end in 3..<bytes.count {
      #expect(throws: RemoraError.self) { try kind.decoder().finishing(Array(bytes[..<end])) }
      let decoder = try kind.decoder()
      try bytes.withUnsafeBytes { bytes in
        try decoder.decode(DocumentText(UnsafeRawBufferPointer(rebasing: bytes[..<end])))
      }
      #expect(throws: RemoraError.self) { try decoder.finishing(Array(bytes[..<end])) }
    }
  }

  @Test("after a decoder has returned a document or has failed, it returns no further document")
  func used() throws {
    let decoder = try Kind.settings.decoder()
    _ = try decoder.finishing(Array("{}".utf8))
    #expect(throws: RemoraError.self) { try decoder.finishing(Array("{}".utf8)) }
    let failed = try Kind.settings.decoder()
    #expect(throws: RemoraError.self) { try failed.finishing(Array("{".utf8)) }
    #expect(throws: RemoraError.self) { try failed.finishing(Array("{}".utf8)) }
  }
}

extension DocumentDecoder {
  fileprivate func finishing(_ bytes: [UInt8]) throws -> Document {
    try bytes.withUnsafeBytes { try finish(DocumentText($0)) }
  }
}

/// All that a document has, as text.
private func text(_ document: Document) throws -> String {
  let entries = try document.entries.map { entry in
    var text = ByteBuffer()
    try text.appendCanonical(entry.value)
    return String(decoding: Array(entry.key) + Array(" = ".utf8) + Array(text.bytes), as: UTF8.self)
  }
  let removed = document.removed.map { String(decoding: $0, as: UTF8.self) }.sorted()
  return """
    \(document.version) \(document.signatures) \(entries) \(document.hasFilters) \(removed) \(document.warnings)
    """
}
