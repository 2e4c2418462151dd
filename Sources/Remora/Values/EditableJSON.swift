// SPDX-License-Identifier: Apache-2.0
//
// A value that is being changed: parsed from its canonical text when the first change needs it, and given back for
// compiling. Invariant: a change makes all objects on its way, so that it is read afterwards whatever was there before.

internal import CJansson

/// A JSON value, or none yet, with some of its members replaced.
package struct EditableJSON: ~Copyable {
  /// Where the value is read from, while nothing was changed.
  private var source: Value?
  /// The value, once something was changed.
  private var edited: ParsedJSON?

  /// Begins with a value that outlives the first change; nil is none.
  package init(_ value: Value?) { source = value }

  /// Puts a value in a place, and objects on the way to it.
  ///
  /// - Parameters:
  ///   - json: A whole JSON text.
  ///   - names: The members to go through; none is the whole value.
  /// - Throws: `.parse`, `.corrupt`, `.tooLarge`.
  package mutating func set(_ json: UnsafeRawBufferPointer, at names: [[UInt8]]) throws(RemoraError) {
    let value = try parse(json)
    guard let last = names.last else {
      edited = consume value
      return
    }
    var object = try root()
    for name in names.dropLast() { object = try member(name, of: object) }
    // The object's own reference; ours goes with the scope.
    try put(json_incref(value.json), as: last, into: object)
  }

  /// Gives an object the members that another one has and it lacks, and its objects theirs: two levels. Null counts as
  /// lacking. Anything but an object stays as it is.
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

  /// The changed value, for compiling; nil when nothing was changed.
  package consuming func finish() -> ParsedJSON? { edited.take() }

  /// The object that everything is in, in the place of whatever else the value is.
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

  /// The object that is a member of another, in the place of whatever else that is.
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

  /// Gives a reference to an object.
  private func put(
    _ json: UnsafeMutablePointer<json_t>?, as name: [UInt8], into object: UnsafeMutablePointer<json_t>
  ) throws(RemoraError) {
    guard name.withChars({ json_object_setn_new(object, $0, $1, json) }) == 0 else { throw Self.exhausted }
  }

  private static var exhausted: RemoraError { RemoraError(.unavailable, "no memory for a value") }
}

extension Value {
  /// Whether an object has members, or its objects at so many levels, that this one has not.
  fileprivate func lacks(someOf other: Value, levels: Int) -> Bool {
    (0..<other.count).contains { index in
      guard let (name, value) = other.member(at: index), value.type != .null else { return false }
      guard let own = member(named: name), own.type != .null else { return true }
      return levels > 1 && own.type == .object && value.type == .object && own.lacks(someOf: value, levels: levels - 1)
    }
  }
}

/// Parses a text that was a value's before.
private func parse(_ json: UnsafeRawBufferPointer) throws(RemoraError) -> ParsedJSON {
  var cursor = try JSONCursor(json, name: "the value")
  return try cursor.value()
}

extension [UInt8] {
  /// Calls `body` with the bytes and their number, as jansson takes them: with an address for no bytes as well.
  fileprivate func withChars<Result>(_ body: (UnsafePointer<CChar>, Int) -> Result) -> Result {
    let empty: StaticString = ""
    return withUnsafeBytes { bytes in
      let start = bytes.baseAddress ?? UnsafeRawPointer(empty.utf8Start)
      return body(start.assumingMemoryBound(to: CChar.self), bytes.count)
    }
  }
}
