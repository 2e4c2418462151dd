// SPDX-License-Identifier: Apache-2.0
//
// The header block of a response: the fields that Remora uses, and those that describe the body (RFC 9112, section 6).

/// One header block. A response has several if interim responses precede the final one; only the last one counts.
struct HeaderBlock {
  /// The fields that Remora uses.
  private(set) var headers = ResponseHeaders()
  /// Whether all lines of the block were received.
  var isWhole = false
  /// The Content-Length, before decoding.
  private var statedLength: Int?
  private var hasOddLength = false
  private var contentEncodings: [Substring] = []
  private var transferEncodings: [Substring] = []

  /// Adds a field; `nowMs` is the wall time against which dates are evaluated.
  mutating func add(name: String, value: String, nowMs: Int64) {
    switch name.lowercased() {
    case "content-length": announce(value)
    case "content-encoding": contentEncodings += encodings(value[...])
    case "transfer-encoding": transferEncodings += encodings(value[...])
    default: headers.add(name: name, value: value, nowMs: nowMs)
    }
  }

  /// The number of bytes of the body; nil if it is unknown. A length beside a transfer encoding has no meaning (RFC
  /// 9112, section 6.3).
  var announcedLength: Int? { transferEncodings.isEmpty ? statedLength : nil }

  /// Whether the body has a content encoding.
  var isEncoded: Bool { !contentEncodings.isEmpty }

  /// Whether the content encoding can be decoded. At most one layer of gzip is, because nested layers hide a
  /// decompression bomb.
  var isGzipOnce: Bool { contentEncodings == ["gzip"] || contentEncodings == ["x-gzip"] }

  /// Notes that the body is used as it is, in spite of its Content-Encoding.
  mutating func ignoreEncodings() {
    headers.idleEncoding = printable(String(contentEncodings.joined(separator: ", ").unicodeScalars.prefix(100)))
  }

  /// Returns the reason the length or the transfer encoding cannot be used, as a sentence; nil if both can.
  var framingFault: String? {
    if hasOddLength { return "the response has an invalid Content-Length" }
    guard transferEncodings.isEmpty || transferEncodings == ["chunked"] else {
      return "the response has a Transfer-Encoding that is not \"chunked\""
    }
    return nil
  }

  /// Parses a Content-Length. libcurl ignores a length that it cannot represent, and would then accept a truncated
  /// body.
  private mutating func announce(_ value: String) {
    let length = value.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int(value) : nil
    if length == nil || (statedLength ?? length) != length { hasOddLength = true }
    statedLength = length
  }
}

private func encodings(_ value: Substring) -> [Substring] {
  value.lowercased().split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty && $0 != "identity" }
}
