// SPDX-License-Identifier: Apache-2.0
//
// One value that a host has set: its place and its canonical text, checked once. Immutable.

/// A value that takes precedence over all others at its place.
package struct Override: Equatable, Sendable {
  /// The maximum length of a key or pointer, in bytes.
  package static var maximumPlaceLength: Int { maximumKeyLength }
  /// The maximum length of a value, in bytes of the host's text.
  package static let maximumLength = 1 << 20

  package let key: [UInt8]
  /// The JSON Pointer to its place in the value of the key; empty is the whole value.
  package let pointer: [UInt8]
  let names: [[UInt8]]
  package let json: [UInt8]

  /// Checks the host's arguments; the key is checked already.
  ///
  /// - Parameter name: The host's name of the value, for errors.
  /// - Throws: `.invalidArgument` naming the argument; `.tooLarge`.
  package init(key: [UInt8], pointer: [UInt8], json: [UInt8], as name: String = "json") throws(RemoraError) {
    self.key = key
    self.pointer = pointer
    names = try Self.names(of: pointer)
    self.json = try canonicalText(of: json, as: name)
    let depth = names.count + self.json.withBytes { nestingDepth(of: $0) }
    guard depth <= maximumDepth else {
      throw .invalidArgument(
        name, "would make the value of the key \(depth) levels deep; at most \(maximumDepth) are allowed")
    }
  }

  /// Checks the host's arguments, with a value that is not JSON text.
  ///
  /// - Throws: `.invalidArgument` naming the argument; `.tooLarge`.
  package init(key: [UInt8], pointer: [UInt8], _ value: OverrideScalar) throws(RemoraError) {
    try self.init(key: key, pointer: pointer, json: value.json(as: "value"), as: "value")
  }

  /// Checks a pointer, and returns the names on its path.
  static func names(of pointer: [UInt8]) throws(RemoraError) -> [[UInt8]] {
    guard pointer.count <= maximumPlaceLength else {
      throw .invalidArgument(
        "pointer", "is a JSON Pointer of \(pointer.count) bytes; at most \(maximumPlaceLength) are allowed")
    }
    guard let names = pointer.withBytes({ pointerNames($0) }) else {
      throw .malformedPointer(shown(pointer))
    }
    return names
  }
}

/// A value of an override, as hosts pass it if they have no JSON text.
package enum OverrideScalar {
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)

  /// - Throws: `.invalidArgument` for a number that JSON does not have; `.unavailable` if memory is exhausted.
  fileprivate func json(as name: String) throws(RemoraError) -> [UInt8] {
    var text = ByteBuffer()
    switch self {
    case .bool(let value): try text.append(value ? "true" : "false")
    case .int(let value): try text.appendCanonical(value)
    case .double(let value):
      guard value.isFinite else { throw .invalidArgument(name, "is not finite") }
      try text.appendCanonical(value)
    case .string(let value):
      try value.withBytes { bytes throws(RemoraError) in try text.appendCanonical(string: bytes) }
    }
    return Array(text.bytes)
  }
}

/// Returns the canonical form of a JSON text.
private func canonicalText(of json: [UInt8], as name: String) throws(RemoraError) -> [UInt8] {
  guard json.count <= Override.maximumLength else {
    throw .invalidArgument(name, "has \(json.count) bytes; at most \(Override.maximumLength) are allowed")
  }
  do throws(RemoraError) {
    return try json.withBytes { bytes throws(RemoraError) in
      let value = try ParsedJSON(text: bytes, named: "the value")
      return try withCompiled(value) { value throws(RemoraError) in
        var text = ByteBuffer()
        try text.appendCanonical(value)
        return Array(text.bytes)
      }
    }
  } catch {
    let isOfJSON = error.code != .tooLarge && error.code != .unavailable
    throw isOfJSON ? .invalidArgument(name, "cannot be used: \(error.message)") : error
  }
}
