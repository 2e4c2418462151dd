// SPDX-License-Identifier: Apache-2.0
//
// A value that is being edited. Its canonical text is parsed at the first change that needs it, and the result is
// compiled later.
// Invariant: a change creates all objects on its path, so the changed value is readable whatever the value was before.

internal import CJansson

/// A JSON value, or none yet, with some of its members replaced.
package struct EditableJSON: ~Copyable {
  /// The original value; used until the first change.
  private var source: Value?
  /// The value after the first change.
  private var edited: ParsedJSON?

  /// Starts with a value that outlives the first change, or with none.
  package init(_ value: Value?) { source = value }

  /// Sets the value at a path, and creates objects on the path as needed.
  ///
  /// - Parameters:
  ///   - json: A whole JSON text.
  ///   - names: The member names of the path; empty means the whole value.
  /// - Throws: `.parse`, `.corrupt`, `.tooLarge`.
  package mutating func set(_ json: UnsafeRawBufferPointer, at names: [[UInt8]]) throws(RemoraError) {
    let value = try parse(json)
    guard let last = names.last else {
      edited = consume value
      return
    }
    var object = try root()
    for name in names.dropLast() { object = try member(name, of: object) }
    // The object's own reference; the local one is released at the end of the scope.
    try put(json_incref(value.json), as: last, into: object)
  }

  /// Adds the members of `other` that this object lacks, and does the same in its member objects: two levels. A null
  /// counts as missing. Values other than objects are unchanged.
  package mutating func complete(from other: Value) throws(RemoraError) {
    if let json = edited?.json {
      guard json.pointee.type == JSON_OBJECT else { return }
    } else {
      guard let source, source.type == .object, source.lacks(someOf: other, levels: 2) else { return }
    }
    let object = try root()
    var text = ByteBuffer()
    try text.appendCanonical(other)
    let more = try parse(text.bytes)
    try more.read { more throws(RemoraError) in try complete(object, from: more.json, levels: 2) }
  }

  private func complete(
    _ object: UnsafeMutablePointer<json_t>, from other: UnsafeMutablePointer<json_t>, levels: Int
  ) throws(RemoraError) {
    var iterator = json_object_iter(other)
    while let current = iterator {
      iterator = json_object_iter_next(other, current)
      guard let name = json_object_iter_key(current), let value = json_object_iter_value(current),
        value.pointee.type != JSON_NULL
      else { continue }
      let length = json_object_iter_key_len(current)
      let own = json_object_getn(object, name, length)
      if let own, own.pointee.type != JSON_NULL {
        guard levels > 1, own.pointee.type == JSON_OBJECT, value.pointee.type == JSON_OBJECT else { continue }
        try complete(own, from: value, levels: levels - 1)
      } else if json_object_setn_new(object, name, length, json_incref(value)) != 0 {
        throw Self.exhausted
      }
    }
  }

  /// Returns the changed value, for compiling; nil if nothing was changed.
  package consuming func finish() -> ParsedJSON? { edited.take() }

  /// Returns the root object; replaces a root value that is not an object.
  private mutating func root() throws(RemoraError) -> UnsafeMutablePointer<json_t> {
    if edited == nil, let source, source.type == .object {
      var text = ByteBuffer()
      try text.appendCanonical(source)
      edited = try parse(text.bytes)
    }
    if let json = edited?.json, json.pointee.type == JSON_OBJECT { return json }
    guard let made = json_object() else { throw Self.exhausted }
    edited = ParsedJSON(json: made)
    return made
  }

  /// Returns a member object of another object; replaces a member that is not an object.
  private func member(
    _ name: [UInt8], of object: UnsafeMutablePointer<json_t>
  ) throws(RemoraError) -> UnsafeMutablePointer<json_t> {
    if let found = name.withChars({ json_object_getn(object, $0, $1) }), found.pointee.type == JSON_OBJECT {
      return found
    }
    guard let made = json_object() else { throw Self.exhausted }
    try put(made, as: name, into: object)
    return made
  }

  /// Stores a reference in an object, which takes ownership of it.
  private func put(
    _ json: UnsafeMutablePointer<json_t>?, as name: [UInt8], into object: UnsafeMutablePointer<json_t>
  ) throws(RemoraError) {
    guard name.withChars({ json_object_setn_new(object, $0, $1, json) }) == 0 else { throw Self.exhausted }
  }

  private static var exhausted: RemoraError { .outOfMemory(for: "a value") }
}

extension Value {
  /// Whether `other` has members that this object lacks, also in member objects down to `levels`.
  fileprivate func lacks(someOf other: Value, levels: Int) -> Bool {
    (0..<other.count).contains { index in
      guard let (name, value) = other.member(at: index), value.type != .null else { return false }
      guard let own = member(named: name), own.type != .null else { return true }
      return levels > 1 && own.type == .object && value.type == .object && own.lacks(someOf: value, levels: levels - 1)
    }
  }
}

/// Parses the JSON text of a value.
private func parse(_ json: UnsafeRawBufferPointer) throws(RemoraError) -> ParsedJSON {
  try ParsedJSON(text: json, named: "the value")
}

extension [UInt8] {
  /// Calls `body` with the address and number of the bytes, as jansson expects them: the address is never null.
  fileprivate func withChars<Result>(_ body: (UnsafePointer<CChar>, Int) -> Result) -> Result {
    let empty: StaticString = ""
    return withUnsafeBytes { bytes in
      let start = bytes.baseAddress ?? UnsafeRawPointer(empty.utf8Start)
      return body(start.assumingMemoryBound(to: CChar.self), bytes.count)
    }
  }
}
