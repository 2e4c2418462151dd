// SPDX-License-Identifier: Apache-2.0
//
// The five parts of a URI reference, split as in RFC 3986 appendix B and checked byte by byte.
// Invariant: each part contains only bytes that are valid at its place in a URI. Used by ParsedURL only.

/// A reference split into its parts, none of them decoded.
struct URLReference {
  private let bytes: [UInt8]
  private let schemePart: Range<Int>?
  private let authorityPart: Range<Int>?
  private let pathPart: Range<Int>
  private let queryPart: Range<Int>?
  private let fragmentPart: Range<Int>?

  /// The part before the first colon, if it is a scheme.
  var scheme: ArraySlice<UInt8>? { schemePart.map { bytes[$0] } }
  /// The part between two slashes and the path.
  var authority: ArraySlice<UInt8>? { authorityPart.map { bytes[$0] } }
  /// The path, possibly empty.
  var path: ArraySlice<UInt8> { bytes[pathPart] }
  var query: ArraySlice<UInt8>? { queryPart.map { bytes[$0] } }
  var hasFragment: Bool { fragmentPart != nil }

  /// Whether the authority is absent, or has only bytes that RFC 3986 allows. ParsedURL checks hosts more strictly.
  var hasValidAuthority: Bool { isValid(authorityPart, of: bytes, isAuthority) }

  /// Splits a text.
  init(_ text: String, as name: String) throws(RemoraError) {
    guard text.utf8.count <= ParsedURL.longest else { throw ParsedURL.tooLong(name) }
    bytes = Array(text.utf8)
    // From here on the text is visible ASCII, so each character is one byte.
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .invalidArgument(name, "has a space, a control character or a non-ASCII character")
    }
    var rest = 0..<bytes.count
    fragmentPart = cut(&rest, of: bytes, at: UInt8(ascii: "#"))
    queryPart = cut(&rest, of: bytes, at: UInt8(ascii: "?"))
    if let colon = bytes[rest].firstIndex(of: UInt8(ascii: ":")), isScheme(bytes[..<colon]) {
      schemePart = 0..<colon
      rest = colon + 1..<rest.upperBound
    } else {
      schemePart = nil
    }
    if isEqual(bytes[rest].prefix(2), "//") {
      let start = rest.lowerBound + 2
      let end = bytes[start..<rest.upperBound].firstIndex(of: UInt8(ascii: "/")) ?? rest.upperBound
      authorityPart = start..<end
      rest = end..<rest.upperBound
    } else {
      authorityPart = nil
    }
    pathPart = rest
    let firstSegment = bytes[rest].prefix { $0 != UInt8(ascii: "/") }
    guard schemePart != nil || authorityPart != nil || !firstSegment.contains(UInt8(ascii: ":")) else {
      throw .invalidArgument(name, "has a colon before its first slash, but no scheme")
    }
    guard isValid(pathPart, of: bytes, isPath), isValid(queryPart, of: bytes, isQuery),
      isValid(fragmentPart, of: bytes, isFragment)
    else {
      throw .invalidArgument(name, "has a character or percent escape that a URL must not contain")
    }
  }
}

/// Cuts off the first `mark` and the text after it, which it returns; nil if there is no mark.
private func cut(_ rest: inout Range<Int>, of bytes: [UInt8], at mark: UInt8) -> Range<Int>? {
  guard let index = bytes[rest].firstIndex(of: mark) else { return nil }
  defer { rest = rest.lowerBound..<index }
  return index + 1..<rest.upperBound
}

private func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
  guard let first = bytes.first, isLetter(first) else { return false }
  return bytes.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: isLetter(byte) || isDigit(byte)
    }
  }
}

/// Whether every percent sign starts an escape, and all other bytes are allowed. An absent part is valid.
@inline(__always)
private func isValid(_ part: Range<Int>?, of bytes: [UInt8], _ isAllowed: (UInt8) -> Bool) -> Bool {
  guard let part else { return true }
  var index = part.lowerBound
  while index < part.upperBound {
    if bytes[index] == UInt8(ascii: "%") {
      guard index + 2 < part.upperBound, isHexDigit(bytes[index + 1]), isHexDigit(bytes[index + 2]) else {
        return false
      }
      index += 3
    } else {
      guard isAllowed(bytes[index]) else { return false }
      index += 1
    }
  }
  return true
}

private func isPath(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: "/") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "@") || isUnreserved(byte)
    || isSubDelimiter(byte)
}

/// Whether a byte may be part of user name, host and port; brackets enclose an IPv6 address.
private func isAuthority(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") || isPath(byte)
}

private func isFragment(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || isPath(byte) }

/// Whether a byte may be part of a query; includes brackets, which many servers use although the RFC requires escapes.
private func isQuery(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") || isFragment(byte)
}
