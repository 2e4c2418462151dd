// SPDX-License-Identifier: Apache-2.0
//
// A JSON object whose members can be replaced. Each value is in the canonical form that is signed.

/// A JSON object in canonical form.
package struct CanonicalObject: Equatable {
  private struct Member: Equatable {
    let name: [UInt8]
    let text: [UInt8]
  }

  /// Sorted by the bytes of their names.
  private var members: [Member] = []

  package init() {}

  /// Takes the members of an object; empty for other values.
  package init(_ value: Value) throws(RemoraError) {
    for index in 0..<value.count {
      guard let (name, member) = value.member(at: index) else { continue }
      members.append(Member(name: Array(name), text: try member.withCanonicalText { Array($0) }))
    }
  }

  /// Sets a member; nil removes it.
  package mutating func set(_ name: String, _ text: [UInt8]?) {
    let name = Array(name.utf8)
    members.removeAll { $0.name == name }
    guard let text else { return }
    let place = members.firstIndex { name.lexicographicallyPrecedes($0.name) } ?? members.count
    members.insert(Member(name: name, text: text), at: place)
  }

  package mutating func set(_ name: String, _ number: Int64) { set(name, Array("\(number)".utf8)) }

  package mutating func set(_ name: String, string: String) throws(RemoraError) {
    try set(name, string: Array(string.utf8))
  }

  /// Sets a member to a string of valid UTF-8.
  package mutating func set(_ name: String, string: [UInt8]) throws(RemoraError) {
    set(name, try Self.text(of: string))
  }

  package mutating func set(_ name: String, _ flag: Bool) { set(name, Array((flag ? "true" : "false").utf8)) }

  /// The text of null.
  package static var null: [UInt8] { Array("null".utf8) }

  /// Returns the text of a string of valid UTF-8.
  package static func text(of string: [UInt8]) throws(RemoraError) -> [UInt8] {
    var text = ByteBuffer()
    try string.withBytes { bytes throws(RemoraError) in try text.appendCanonical(string: bytes) }
    return Array(text.bytes)
  }

  /// Sets a member to the elements of an array, each on its own line.
  package mutating func set(_ name: String, array elements: [[UInt8]]) {
    var text = [UInt8(ascii: "[")]
    for (index, element) in elements.enumerated() {
      text += index == 0 ? [UInt8(ascii: "\n")] : [UInt8(ascii: ","), UInt8(ascii: "\n")]
      text += element
    }
    set(name, text + [UInt8(ascii: "]")])
  }

  package func has(_ name: String) -> Bool { members.contains { $0.name.elementsEqual(name.utf8) } }

  /// The JSON text.
  package var text: [UInt8] {
    get throws(RemoraError) {
      var text = ByteBuffer()
      try text.append("{")
      for (index, member) in members.enumerated() {
        if index > 0 { try text.append(",") }
        try member.name.withBytes { name throws(RemoraError) in try text.appendCanonical(string: name) }
        try text.append(":")
        try member.text.withBytes { value throws(RemoraError) in try text.append(value) }
      }
      try text.append("}")
      return Array(text.bytes)
    }
  }
}
