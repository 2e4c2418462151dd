// SPDX-License-Identifier: Apache-2.0
//
// The file of compiled packaged data: what is written is read back, and anything else is refused.

import Testing

@testable import Remora

@Suite("Stored binary form of packaged data (a document that is shipped with the program)")
struct PackagedImageFileTests {
  private let dialect: CollectionDialect
  private let packaged: PackagedImage

  init() throws {
    dialect = try SignedServer().dialect()
    let signatures = [
      ContentSignature(
        mode: "p384ecdsa", signature: "abc", x5u: "https://x.example/\"é\u{1F600}\\", chain: Array("PEM\n\0\u{7F}".utf8)
      ),
      ContentSignature(mode: "", signature: "", x5u: "", chain: [0x20]),
    ]
    packaged = try dialect.compile(.bytes(Array(#"{"data":[{"id":"a","last_modified":1}],"timestamp":5}"#.utf8)))
      .signed(by: signatures)
  }

  /// The bytes of the file.
  private func written(_ packaged: PackagedImage) throws -> [UInt8] {
    try packaged.fileParts().flatMap { part in withExtendedLifetime(part) { Array(part.bytes) } }
  }

  private func read(_ bytes: [UInt8]) throws -> PackagedImage {
    try PackagedImage(file: try RawImage(bytes).buffer, of: dialect.identity)
  }

  @Test("packaged data is read back from its stored binary form with all keys and signatures")
  func roundTrip() throws {
    for expected in [packaged, packaged.signed(by: [])] {
      let found = try read(written(expected))
      #expect(found.signatures == expected.signatures)
      #expect(found.image.checksum == expected.image.checksum)
      #expect(found.image.metadata == expected.image.metadata)
      #expect(keysOf(Snapshot(base: found.image, origin: .packaged)) == ["a"])
    }
  }

  @Test("the stored binary form of packaged data is refused if any byte of it has changed")
  func damaged() throws {
    let bytes = try written(packaged)
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0x40
      #expect(code { _ = try read(damaged) } == .corrupt, "byte \(place) of \(bytes.count)")
    }
  }

  @Test("the stored binary form of packaged data is refused if its file was truncated or extended")
  func truncated() throws {
    let bytes = try written(packaged)
    for count in bytes.indices {
      #expect(code { _ = try read(Array(bytes[..<count])) } == .corrupt, "\(count) of \(bytes.count) bytes")
    }
    #expect(code { _ = try read(bytes + [0]) } == .corrupt)
  }

  @Test("the stored binary form of packaged data is refused if it is marked as verified, fetched or of another source")
  func others() throws {
    var metadata = packaged.image.metadata
    #expect(code { _ = try read(written(rewritten(metadata))) } == nil)
    #expect(code { _ = try read(written(rewritten(metadata.verified(by: Proof())))) } == .corrupt)
    let changes: [(inout ImageMetadata) -> Void] = [
      { $0.fetchedAtMs = 1 }, { $0.identity += "x" }, { $0.epoch = 1 }, { $0.generation = 1 },
    ]
    for change in changes {
      metadata = packaged.image.metadata
      change(&metadata)
      #expect(code { _ = try read(written(rewritten(metadata))) } == .corrupt, "\(metadata)")
    }
  }

  /// The same entries with other metadata.
  private func rewritten(_ metadata: ImageMetadata) throws -> PackagedImage {
    let reader = packaged.image.reader(over: nil)
    let entries = (0..<reader.count).compactMap { reader.entry(at: $0) }.map(ImageEntry.own)
    return PackagedImage(image: try writeImage(metadata, entries: entries))
  }
}

/// A proof of nothing.
private struct Proof: SignatureProof {
  let isSigned = true
  let signature = "p384ecdsa abc https://x.example/"
}

extension PackagedImage {
  fileprivate func signed(by signatures: [ContentSignature]) -> PackagedImage {
    PackagedImage(image: image, signatures: signatures)
  }
}
