// SPDX-License-Identifier: Apache-2.0
//
// One value that a host has set: its place and its canonical text, checked once. Immutable.

/// A value that takes precedence over all others at its place.
package struct Override: Equatable, Sendable {
  /// The maximum length of a key or pointer, in bytes.
  package static var maximumPlaceLength: Int { maximumKeyLength }
  /// The maximum length of a value, in bytes of the host's text.
  package static let maximumLength = 1 << 20

  /// The key of the value.
  package let key: [UInt8]
  /// The JSON Pointer to its place in the value of the key; empty is the whole value.
  package let pointer: [UInt8]
  /// The names on the path of the pointer.
  let names: [[UInt8]]
  /// The canonical JSON of the value.
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
