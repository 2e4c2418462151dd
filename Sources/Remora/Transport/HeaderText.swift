// SPDX-License-Identifier: Apache-2.0
//
// Checks which text may go into a header.
// Invariant: accepted text contains no control byte, so that settings can neither end a header nor add one.

/// Whether `name` is a header that the transport sets itself, or that would change the meaning of a response.
private func isOwnHeader(_ name: ArraySlice<UInt8>) -> Bool {
  let name = name.map(lowercased)[...]
  return isEqual(name, "accept-encoding") || isEqual(name, "content-length") || isEqual(name, "if-none-match")
    || isEqual(name, "range") || isEqual(name, "te") || isEqual(name, "transfer-encoding") || isEqual(name, "upgrade")
}

/// Validates a header line "Name: value" of a request.
///
/// - Parameter argument: The host's name of the argument, for errors.
/// - Throws: `.invalidArgument`. The message omits the value, which may be a credential.
package func validateHeader(_ line: String, of argument: String = "headers") throws(RemoraError) {
  let (name, _) = try parseHeader(line, of: argument)
  guard !isOwnHeader(Array(name.utf8)[...]) else {
    throw .invalidArgument(argument, "must not contain \(name), because the library sets this header itself")
  }
}

/// Splits a header line "Name: value".
///
/// - Parameter argument: The host's name of the argument, for errors.
/// - Throws: `.invalidArgument`. The message omits the value, which may be a credential.
@discardableResult
package func parseHeader(
  _ line: String, of argument: String = "headers"
) throws(RemoraError) -> (name: String, value: String) {
  let bytes = Array(line.utf8)
  guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
    throw .invalidArgument(argument, "has an entry that is not \"Name: value\"")
  }
  guard colon > 0, bytes[..<colon].allSatisfy(isTokenByte) else {
    throw .invalidArgument(argument, "has an entry whose name is not an HTTP token")
  }
  let name = String(decoding: bytes[..<colon], as: UTF8.self)
  let value = String(decoding: bytes[(colon + 1)...], as: UTF8.self)
  guard isHeaderValue(value) else {
    throw .invalidArgument(argument, "has a control character in the value of \(name)")
  }
  return (name, String(trimmed(value[...])))
}

/// Validates the value of a header that the argument `name` set: no control byte except the tab.
package func validateHeaderValue(_ value: String, of name: String) throws(RemoraError) {
  guard isHeaderValue(value) else { throw .invalidArgument(name, "has a control character") }
}

private func isHeaderValue(_ text: String) -> Bool {
  text.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
}

/// Whether a byte may be part of a header's name (`tchar` of RFC 9110).
private func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"): true
  default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
