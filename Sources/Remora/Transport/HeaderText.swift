// SPDX-License-Identifier: Apache-2.0
//
// Which text may go into a request header. Invariant: what passes here holds no control byte, so that
// settings can neither end a header nor add one.

/// Whether the transport sets a header itself, or it would change what an answer means.
private func isOwnHeader(_ name: ArraySlice<UInt8>) -> Bool {
  let name = name.map(lowercased)[...]
  return isEqual(name, "accept-encoding") || isEqual(name, "content-length") || isEqual(name, "if-none-match")
    || isEqual(name, "range") || isEqual(name, "te") || isEqual(name, "transfer-encoding") || isEqual(name, "upgrade")
}

/// Accepts a line "Name: value".
///
/// - Throws: `.invalidArgument`; the value, which may be a credential, is not in the text.
package func validateHeader(_ line: String) throws(RemoraError) {
  let bytes = Array(line.utf8)
  guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
    throw .invalidArgument("headers", "has an entry that is not \"Name: value\"")
  }
  guard colon > 0, bytes[..<colon].allSatisfy(isTokenByte) else {
    throw .invalidArgument("headers", "has an entry whose name is no HTTP token")
  }
  let name = String(decoding: bytes[..<colon], as: UTF8.self)
  guard !isOwnHeader(bytes[..<colon]) else {
    throw .invalidArgument("headers", "sets \(name), which belongs to the transport")
  }
  try validateHeaderValue(String(decoding: bytes[(colon + 1)...], as: UTF8.self), of: "headers (\(name))")
}

/// Accepts the value of a header that comes from the argument `name`: no control byte except the tab.
package func validateHeaderValue(_ value: String, of name: String) throws(RemoraError) {
  guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
    throw .invalidArgument(name, "has a control character")
  }
}

/// Whether a byte may be in a header's name (`tchar` of RFC 9110).
private func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"): true
  default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
