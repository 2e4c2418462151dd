// SPDX-License-Identifier: Apache-2.0
//
// Converts PEM text to DER certificates. Every limit is checked before any certificate is decoded, so hostile text
// costs one pass over at most 64 KiB.

/// The text form of a certificate chain.
enum PEM {
  /// The maximum length of a text, in bytes.
  static let maxBytes = 65_536
  /// The maximum number of certificates in a chain, including leaf and root.
  static let maxCertificates = 5

  /// Returns the certificates of a text in order, in DER. Text outside BEGIN and END lines is ignored, as in the
  /// reference implementation.
  ///
  /// - Throws: `.chainMalformed` for a text that is too long, for no or too many blocks, for a block that is empty,
  ///   nested or has no END line, and for a body that is not base64.
  static func certificates(in text: [UInt8]) throws(RemoraError) -> [[UInt8]] {
    guard text.count <= maxBytes else { throw malformed("is longer than \(maxBytes) bytes") }
    var blocks: [[UInt8]] = []
    var body: [UInt8]?
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let content = trimmed(line)
      if content.elementsEqual(begin) {
        guard body == nil else { throw malformed("has a BEGIN line without its END line") }
        guard blocks.count < maxCertificates else {
          throw malformed("has more than \(maxCertificates) certificates")
        }
        body = []
      } else if content.elementsEqual(end) {
        guard let text = body else { throw malformed("has an END line without its BEGIN line") }
        guard let der = Base64.standard.decode(text), !der.isEmpty else {
          throw malformed("has invalid base64 in certificate \(blocks.count + 1)")
        }
        blocks.append(der)
        body = nil
      } else {
        body?.append(contentsOf: content)
      }
    }
    guard body == nil else { throw malformed("has a BEGIN line without its END line") }
    guard !blocks.isEmpty else { throw malformed("has no certificate") }
    return blocks
  }

  private static let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
  private static let end = Array("-----END CERTIFICATE-----".utf8)

  /// Removes trailing white space from a line, including CR LF.
  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let blanks: [UInt8] = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
    return line[..<((line.lastIndex { !blanks.contains($0) }).map { $0 + 1 } ?? line.startIndex)]
  }

  private static func malformed(_ problem: String) -> RemoraError {
    RemoraError(.chainMalformed, "the certificate chain \(problem)")
  }
}
