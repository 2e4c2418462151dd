// SPDX-License-Identifier: Apache-2.0
//
// The five parts of a URI reference, split as RFC 3986 appendix B does and checked byte by byte.
// Invariant: no part holds a byte that its place in a URI does not allow. Used by ParsedURL only.

/// A reference split into its parts, none of them decoded.
struct URLReference {
  /// Before the first colon, when it is a scheme.
  var scheme: Substring?
  /// Between two slashes and the path.
  var authority: Substring?
  /// The path, possibly empty.
  var path: Substring
  /// After the question mark.
  var query: Substring?
  /// After the number sign.
  var fragment: Substring?

  /// Splits a text.
  init(_ text: String, as name: String) throws(RemoraError) {
    guard text.utf8.count <= ParsedURL.longest else {
      throw .invalidArgument(name, "is longer than \(ParsedURL.longest) bytes")
    }
    // From here on the text is visible ASCII, so characters are bytes.
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .invalidArgument(name, "has a space, a control character or one outside of ASCII")
    }
    var rest = text[...]
    if let mark = rest.firstIndex(of: "#") {
      fragment = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    }
    if let mark = rest.firstIndex(of: "?") {
      query = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    }
    if let colon = rest.firstIndex(of: ":"), isScheme(rest[..<colon]) {
      scheme = rest[..<colon]
      rest = rest[rest.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: "/") ?? rest.endIndex
      authority = rest[..<end]
      rest = rest[end...]
    }
    path = rest
    let firstSegment = path.prefix { $0 != "/" }
    guard scheme != nil || authority != nil || !firstSegment.utf8.contains(UInt8(ascii: ":")) else {
      throw .invalidArgument(name, "has a colon before its first slash, but no scheme")
    }
    guard isValid(path, allowing: "/"), isValid(query ?? "", allowing: "/?[]"), isValid(fragment ?? "", allowing: "/?")
    else {
      throw .invalidArgument(name, "has a character or %-escape that a URL cannot hold")
    }
  }
}

private func isScheme(_ text: Substring) -> Bool {
  guard let first = text.utf8.first, isLetter(first) else { return false }
  return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
}

/// Whether all bytes are `pchar` or one of `extra`, and every percent sign starts an escape.
private func isValid(_ text: Substring, allowing extra: String) -> Bool {
  let bytes = Array(text.utf8)
  var index = 0
  while index < bytes.count {
    let byte = bytes[index]
    if byte == UInt8(ascii: "%") {
      guard index + 2 < bytes.count, isHexDigit(bytes[index + 1]), isHexDigit(bytes[index + 2]) else { return false }
      index += 3
      continue
    }
    guard isUnreserved(byte) || "!$&'()*+,;=:@".utf8.contains(byte) || extra.utf8.contains(byte) else { return false }
    index += 1
  }
  return true
}

/// Letters, digits, hyphen, dot, underscore and tilde.
func isUnreserved(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || "-._~".utf8.contains(byte) }

private func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }

private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

private func isHexDigit(_ byte: UInt8) -> Bool {
  isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)
}
