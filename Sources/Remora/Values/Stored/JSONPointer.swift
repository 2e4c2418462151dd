// SPDX-License-Identifier: Apache-2.0
//
// JSON Pointer (RFC 6901) over values. Works on the caller's bytes; allocates memory only for tokens with an escape.

/// The result of following a pointer.
package enum Finding {
  /// The pointer leads to a value, which may be null.
  case found(Value)
  /// The pointer does not lead to a value.
  case absent
  /// The pointer is not well-formed: it does not begin with a slash, or has a `~` that is not `~0` or `~1`.
  case malformed

  @inline(__always)
  package var value: Value? {
    if case .found(let value) = self { return value }
    return nil
  }
}

extension Value {
  /// Follows a pointer; an empty one leads to the value itself.
  package func at(pointer: UnsafeRawBufferPointer) -> Finding {
    guard isJSONPointer(pointer) else { return .malformed }
    var current = self
    var slash = 0
    while slash < pointer.count {
      var end = slash &+ 1
      var isEscaped = false
      while end < pointer.count, pointer[end] != UInt8(ascii: "/") {
        if pointer[end] == UInt8(ascii: "~") { isEscaped = true }
        end &+= 1
      }
      let token = UnsafeRawBufferPointer(rebasing: pointer[(slash &+ 1)..<end])
      guard let next = current.child(token, isEscaped: isEscaped) else { return .absent }
      current = next
      slash = end
    }
    return .found(current)
  }

  private func child(_ token: UnsafeRawBufferPointer, isEscaped: Bool) -> Value? {
    switch type {
    case .array:
      guard let index = arrayIndex(token) else { return nil }
      return element(at: index)
    case .object where isEscaped:
      return unescaped(token).withUnsafeBytes { member(named: $0) }
    case .object:
      return member(named: token)
    default:
      return nil
    }
  }
}

/// Whether the text is a JSON Pointer.
package func isJSONPointer(_ pointer: UnsafeRawBufferPointer) -> Bool {
  guard let first = pointer.first else { return true }
  guard first == UInt8(ascii: "/") else { return false }
  for index in pointer.indices where pointer[index] == UInt8(ascii: "~") {
    guard index + 1 < pointer.count else { return false }
    let next = pointer[index + 1]
    guard next == UInt8(ascii: "0") || next == UInt8(ascii: "1") else { return false }
  }
  return true
}

/// Checks a JSON Pointer that a host passed, before it is stored.
///
/// - Throws: `.invalidArgument`.
package func requireJSONPointer(_ pointer: UnsafeRawBufferPointer) throws(RemoraError) {
  guard let text = String(validating: pointer, as: UTF8.self) else {
    throw .invalidArgument("pointer", "is not valid UTF-8")
  }
  guard isJSONPointer(pointer) else { throw .malformedPointer(text) }
}

/// Returns the names on the path of a pointer; nil if it is not well-formed.
package func pointerNames(_ pointer: UnsafeRawBufferPointer) -> [[UInt8]]? {
  guard isJSONPointer(pointer) else { return nil }
  return pointer.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst().map {
    unescaped(UnsafeRawBufferPointer(rebasing: $0))
  }
}

/// Parses an array index: digits without a leading zero.
private func arrayIndex(_ token: UnsafeRawBufferPointer) -> Int? {
  guard let first = token.first, token.count <= 10, token.count == 1 || first != UInt8(ascii: "0") else { return nil }
  var index = 0
  for byte in token {
    guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
    index = index &* 10 &+ Int(byte &- UInt8(ascii: "0"))
  }
  return index
}

/// Returns the token with `~1` replaced by a slash and `~0` by a tilde.
private func unescaped(_ token: UnsafeRawBufferPointer) -> [UInt8] {
  var bytes: [UInt8] = []
  var escaped = false
  for byte in token {
    if escaped {
      bytes.append(byte == UInt8(ascii: "1") ? UInt8(ascii: "/") : UInt8(ascii: "~"))
      escaped = false
    } else if byte == UInt8(ascii: "~") {
      escaped = true
    } else {
      bytes.append(byte)
    }
  }
  return bytes
}
