// SPDX-License-Identifier: Apache-2.0
//
// Compiles parsed JSON into entries: key, value tree, strings and canonical text in one block of bytes each.
// Invariant: an entry refers only to itself, so it may be copied to any multiple of 8 in any image.

internal import CJansson

/// The position of an entry in its encoder's bytes.
package struct EntryRange: Sendable {
  package let offset: Int
  package let length: Int
}

/// Appends entries to one block of memory.
package struct EntryEncoder: ~Copyable {
  /// All entries so far, each starting at a multiple of 8.
  package private(set) var entries = ByteBuffer()
  /// The number of zeros before the first entry.
  private let room: Int
  /// The canonical text of the entry that is being encoded.
  private var text = ByteBuffer()
  /// The containers of that entry: the offset of the node, and of its text.
  private var containers: [(node: Int, text: Int)] = []
  /// Scratch for the members of objects, a stack of sorted runs.
  private var members: [Member] = []

  /// - Parameter room: The number of zeros before the first entry; a multiple of 8.
  package init(leaving room: Int = 0) { self.room = room }

  /// Encodes a value under a key.
  ///
  /// - Parameters:
  ///   - origin: The origin of the value, if it differs from the image's; else 0.
  ///   - position: The position of the key in its document, if it is to be stored; else 0.
  /// - Throws: `.format` for a key beyond 65,535 bytes; `.tooLarge`.
  package mutating func append(
    key: UnsafeRawBufferPointer, _ value: borrowing ParsedJSON, origin: Int32 = 0, position: UInt32 = 0
  ) throws(RemoraError) -> EntryRange {
    guard key.count <= maximumKeyLength else {
      throw RemoraError.format("a key", "has \(key.count) bytes; at most \(maximumKeyLength) are allowed")
    }
    if entries.count < room { try entries.appendZeros(room) }
    let start = entries.count
    text.removeAll()
    containers.removeAll(keepingCapacity: true)
    try entries.appendZeros(NodeLayout.entrySize)
    try entries.appendTerminated(key)
    try entries.align()
    entries.patch(UInt32(truncatingIfNeeded: key.count), at: start &+ NodeLayout.entryKeyLength)
    entries.patch(origin, at: start &+ NodeLayout.entryOrigin)
    entries.patch(position, at: start &+ NodeLayout.entryPosition)
    try encode(value.json, at: start)
    try appendText()
    try entries.align()
    let length = entries.count &- start
    entries.patch(UInt32(truncatingIfNeeded: length), at: start &+ NodeLayout.entryLength)
    return EntryRange(offset: start, length: length)
  }

  /// Returns the encoded bytes as memory that does not move.
  package consuming func finish() throws(RemoraError) -> ImageBuffer { try entries.intoImageBuffer() }

  /// Returns the room and the encoded bytes as a buffer, to be continued.
  package consuming func intoBuffer() -> ByteBuffer { entries }

  private mutating func appendText() throws(RemoraError) {
    guard !containers.isEmpty else { return }
    let textStart = entries.count
    try entries.appendTerminated(text.bytes)
    for container in containers {
      let offset = textStart &+ container.text &- container.node
      entries.patch(UInt32(truncatingIfNeeded: offset), at: container.node &+ NodeLayout.text)
    }
  }

  /// Fills the node at a position and appends its content, both binary and as text.
  private mutating func encode(_ json: UnsafeMutablePointer<json_t>, at node: Int) throws(RemoraError) {
    switch json.pointee.type {
    case JSON_TRUE, JSON_FALSE:
      let isTrue = json.pointee.type == JSON_TRUE
      entries.patch(ValueType.bool.rawValue, at: node)
      entries.patch(UInt8(isTrue ? 1 : 0), at: node &+ NodeLayout.flag)
      try text.append(isTrue ? "true" : "false")
    case JSON_INTEGER:
      let number = Int64(json_integer_value(json))
      entries.patch(ValueType.int.rawValue, at: node)
      entries.patch(number, at: node &+ NodeLayout.payload)
      try text.appendCanonical(number)
    case JSON_REAL:
      let number = json_real_value(json)
      entries.patch(ValueType.double.rawValue, at: node)
      entries.patch(number, at: node &+ NodeLayout.payload)
      try text.appendCanonical(number)
    case JSON_STRING:
      let string = UnsafeRawBufferPointer(start: json_string_value(json), count: json_string_length(json))
      try encode(string, at: node)
      try text.appendCanonical(string: string)
    case JSON_ARRAY:
      try encodeArray(json, at: node)
    case JSON_OBJECT:
      try encodeObject(json, at: node)
    default:
      entries.patch(ValueType.null.rawValue, at: node)
      try text.append("null")
    }
  }

  private mutating func encode(_ string: UnsafeRawBufferPointer, at node: Int) throws(RemoraError) {
    entries.patch(ValueType.string.rawValue, at: node)
    entries.patch(UInt32(truncatingIfNeeded: string.count), at: node &+ NodeLayout.count)
    entries.patch(UInt32(truncatingIfNeeded: entries.count &- node), at: node &+ NodeLayout.data)
    try entries.appendTerminated(string)
  }

  private mutating func encodeArray(_ json: UnsafeMutablePointer<json_t>, at node: Int) throws(RemoraError) {
    let count = json_array_size(json)
    let first = try openContainer(.array, count: count, stride: NodeLayout.nodeSize, at: node)
    try text.append(UInt8(ascii: "["))
    for index in 0..<count {
      if index > 0 { try text.append(UInt8(ascii: ",")) }
      guard let element = json_array_get(json, index) else { continue }
      try encode(element, at: first &+ index &* NodeLayout.nodeSize)
    }
    try text.append(UInt8(ascii: "]"))
  }

  private mutating func encodeObject(_ json: UnsafeMutablePointer<json_t>, at node: Int) throws(RemoraError) {
    let bottom = members.count
    var iterator = json_object_iter(json)
    while let current = iterator {
      if let name = json_object_iter_key(current), let value = json_object_iter_value(current) {
        insert(Member(name: name, length: json_object_iter_key_len(current), value: value), above: bottom)
      }
      iterator = json_object_iter_next(json, current)
    }
    if members.count &- bottom > Self.mostInserted { members[bottom...].sort { $0.isBefore($1) } }
    let count = members.count &- bottom
    let first = try openContainer(.object, count: count, stride: NodeLayout.memberSize, at: node)
    try text.append(UInt8(ascii: "{"))
    for index in 0..<count {
      let member = members[bottom &+ index]
      let place = first &+ index &* NodeLayout.memberSize
      entries.patch(UInt32(truncatingIfNeeded: entries.count &- place), at: place)
      entries.patch(UInt32(truncatingIfNeeded: member.length), at: place &+ NodeLayout.memberNameLength)
      try entries.appendTerminated(member.bytes)
      if index > 0 { try text.append(UInt8(ascii: ",")) }
      try text.appendCanonical(string: member.bytes)
      try text.append(UInt8(ascii: ":"))
      try encode(member.value, at: place &+ NodeLayout.memberNode)
    }
    try text.append(UInt8(ascii: "}"))
    members.removeLast(count)
  }

  /// The number of members up to which an object is sorted during insertion.
  private static var mostInserted: Int { 16 }

  /// Adds a member to the run that begins at `bottom`; keeps the run sorted while it is short.
  private mutating func insert(_ member: Member, above bottom: Int) {
    members.append(member)
    var place = members.count &- 1
    guard place &- bottom < Self.mostInserted else { return }
    while place > bottom, member.isBefore(members[place &- 1]) {
      members[place] = members[place &- 1]
      place &-= 1
    }
    members[place] = member
  }

  /// Reserves the children of a container and returns the position of the first.
  private mutating func openContainer(
    _ type: ValueType, count: Int, stride: Int, at node: Int
  ) throws(RemoraError) -> Int {
    try entries.align()
    let first = entries.count
    entries.patch(type.rawValue, at: node)
    entries.patch(UInt32(truncatingIfNeeded: count), at: node &+ NodeLayout.count)
    entries.patch(UInt32(truncatingIfNeeded: first &- node), at: node &+ NodeLayout.data)
    containers.append((node, text.count))
    try entries.appendZeros(count &* stride)
    return first
  }
}

/// The longest key of an entry, in bytes.
package let maximumKeyLength = 65_535

/// Checks the length of a key that a host passed.
///
/// - Throws: `.invalidArgument`.
package func requireKeyLength(_ length: Int) throws(RemoraError) {
  guard length != 0 else { throw .invalidArgument("key", "is empty") }
  guard (1...maximumKeyLength).contains(length) else {
    throw .invalidArgument("key", "has \(UInt(bitPattern: length)) bytes; at most \(maximumKeyLength) are allowed")
  }
}

/// Checks a key that a host passed, after it was not found or before it is stored.
///
/// - Throws: `.invalidArgument`.
package func requireKey(_ key: UnsafeRawBufferPointer) throws(RemoraError) {
  try requireKeyLength(key.count)
  guard String(validating: key, as: UTF8.self) != nil else { throw .invalidArgument("key", "is not valid UTF-8") }
}

/// A member of an object before it is encoded; borrowed from jansson.
private struct Member {
  let name: UnsafePointer<CChar>
  let length: Int
  let value: UnsafeMutablePointer<json_t>
  /// The first bytes of the name, the first one highest. They decide most comparisons.
  private let prefix: UInt64

  init(name: UnsafePointer<CChar>, length: Int, value: UnsafeMutablePointer<json_t>) {
    self.name = name
    self.length = length
    self.value = value
    var prefix: UInt64 = 0
    for index in 0..<8 { prefix = prefix << 8 | (index < length ? UInt64(UInt8(bitPattern: name[index])) : 0) }
    self.prefix = prefix
  }

  /// Whether it precedes another member in an object.
  @inline(__always)
  func isBefore(_ other: Member) -> Bool {
    prefix != other.prefix ? prefix < other.prefix : compareBytes(bytes, other.bytes) < 0
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: name, count: length) }
}
