// SPDX-License-Identifier: Apache-2.0
//
// One JSON value inside an image: two words, no ownership, no allocation, no copy.
// Invariant: `node` has 16 readable bytes inside `region`; everything it refers to is checked when it is followed.

internal import Glibc

/// A view of a value; valid as long as the snapshot that it belongs to.
package struct Value {
  package let node: UnsafeRawPointer
  /// The image that contains the node.
  package let region: UnsafePointer<Region>

  /// Creates a view of a node whose 16 bytes are known to be inside the region.
  @inline(__always)
  package init(node: UnsafeRawPointer, region: UnsafePointer<Region>) {
    self.node = node
    self.region = region
  }

  /// The type; an unknown type in a damaged image reads as null.
  @inline(__always)
  package var type: ValueType { ValueType(rawValue: node.load(as: UInt8.self)) ?? .null }

  /// The number of elements of an array or members of an object. 0 for other values, and in a damaged image for
  /// children that are not all inside it, so a loop over the children always ends.
  package var count: Int {
    switch type {
    case .array: children(stride: NodeLayout.nodeSize)?.count ?? 0
    case .object: children(stride: NodeLayout.memberSize)?.count ?? 0
    default: 0
    }
  }

  /// The boolean, if it is one.
  @inline(__always)
  package var bool: Bool? {
    guard type == .bool else { return nil }
    return node.load(fromByteOffset: NodeLayout.flag, as: UInt8.self) != 0
  }

  /// The integer, if it is one or a double that is exactly one.
  @inline(__always)
  package var int: Int64? {
    switch type {
    case .int: node.load(fromByteOffset: NodeLayout.payload, as: Int64.self)
    case .double: Int64(exactly: node.load(fromByteOffset: NodeLayout.payload, as: Double.self))
    default: nil
    }
  }

  /// The double, if it is one or an integer that is exactly one.
  @inline(__always)
  package var double: Double? {
    switch type {
    case .double: node.load(fromByteOffset: NodeLayout.payload, as: Double.self)
    case .int: Double(exactly: node.load(fromByteOffset: NodeLayout.payload, as: Int64.self))
    default: nil
    }
  }

  /// The bytes of the string, if it is one; a NUL follows them.
  @inline(__always)
  package var string: UnsafeRawBufferPointer? {
    guard type == .string else { return nil }
    let length = Int(node.load(fromByteOffset: NodeLayout.count, as: UInt32.self))
    let offset = node.load(fromByteOffset: NodeLayout.data, as: UInt32.self)
    return region.pointee.text(from: node, offset: offset, count: length)
  }

  /// The element at a position, if this is an array that has one.
  package func element(at index: Int) -> Value? {
    guard type == .array, let (nodes, count) = children(stride: NodeLayout.nodeSize) else { return nil }
    guard index >= 0, index < count else { return nil }
    return Value(node: nodes + index &* NodeLayout.nodeSize, region: region)
  }

  /// The name and value at a position, if this is an object that has one.
  package func member(at index: Int) -> (name: UnsafeRawBufferPointer, value: Value)? {
    guard type == .object, let (members, count) = children(stride: NodeLayout.memberSize) else { return nil }
    guard index >= 0, index < count else { return nil }
    let member = members + index &* NodeLayout.memberSize
    let (offset, length) = place(ofNameOf: member)
    guard let name = region.pointee.text(from: member, offset: offset, count: length) else { return nil }
    return (name, Value(node: member + NodeLayout.memberNode, region: region))
  }

  /// Returns the member with these bytes as its name, if this is an object that has one.
  ///
  /// - Complexity: O(log count), because members are sorted. Among the last few, names of other lengths are skipped.
  package func member(named wanted: UnsafeRawBufferPointer) -> Value? {
    guard type == .object, let (members, count) = children(stride: NodeLayout.memberSize) else { return nil }
    var low = 0
    var high = count
    while high &- low > 8 {
      let middle = (low &+ high) / 2
      guard let name = name(of: members + middle &* NodeLayout.memberSize) else { return nil }
      if compareBytes(wanted, name) < 0 { high = middle } else { low = middle }
    }
    while low < high {
      let member = members + low &* NodeLayout.memberSize
      guard let name = name(of: member) else { return nil }
      if name.count == wanted.count, compareBytes(wanted, name) == 0 {
        return Value(node: member + NodeLayout.memberNode, region: region)
      }
      low &+= 1
    }
    return nil
  }

  /// The member of that name, if this is an object that has one.
  package func member(_ name: StaticString) -> Value? {
    member(named: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  /// Returns the first existing value on a path of members that is neither null nor an object, as its depth and type;
  /// nil if none blocks the path.
  package func obstacle(on names: some Collection<[UInt8]>) -> (depth: Int, type: ValueType)? {
    var current = self
    var depth = 0
    for name in names {
      guard current.type == .object else { break }
      guard let next = name.withUnsafeBytes({ current.member(named: $0) }) else { return nil }
      current = next
      depth &+= 1
    }
    return current.type == .object || current.type == .null ? nil : (depth, current.type)
  }

  /// The canonical JSON of an array or object, as stored in the image.
  package var containerText: UnsafeRawBufferPointer? {
    guard let offset = textOffset,
      let start = region.pointee.bytes(from: node, offset: UInt32(truncatingIfNeeded: offset), count: 1)
    else {
      return nil
    }
    let rest = UnsafeRawBufferPointer(start: start, count: region.pointee.length - (start - region.pointee.base))
    return bracketed(rest)
  }

  /// The offset of that text from the node.
  var textOffset: Int? {
    guard type == .array || type == .object else { return nil }
    return Int(node.load(fromByteOffset: NodeLayout.text, as: UInt32.self))
  }

  /// Returns the children of a container; nil unless all are inside the region and after the container, so that no
  /// value can contain itself.
  private func children(stride: Int) -> (first: UnsafeRawPointer, count: Int)? {
    let count = Int(node.load(fromByteOffset: NodeLayout.count, as: UInt32.self))
    let offset = node.load(fromByteOffset: NodeLayout.data, as: UInt32.self)
    guard count == 0 || offset >= NodeLayout.nodeSize,
      let first = region.pointee.structure(from: node, offset: offset, count: count &* stride)
    else { return nil }
    return (first, count)
  }

  /// Returns the name of a member, for comparisons.
  private func name(of member: UnsafeRawPointer) -> UnsafeRawBufferPointer? {
    let (offset, length) = place(ofNameOf: member)
    guard let start = region.pointee.bytes(from: member, offset: offset, count: length) else { return nil }
    return UnsafeRawBufferPointer(start: start, count: length)
  }

  @inline(__always)
  private func place(ofNameOf member: UnsafeRawPointer) -> (offset: UInt32, length: Int) {
    (member.load(as: UInt32.self), Int(member.load(fromByteOffset: NodeLayout.memberNameLength, as: UInt32.self)))
  }
}

/// Compares two byte sequences as `memcmp` does, the shorter first; for UTF-8 that is the order of code points.
@inline(__always)
package func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  let common = min(left.count, right.count)
  if common > 0, let leftStart = left.baseAddress, let rightStart = right.baseAddress {
    let order = memcmp(leftStart, rightStart, common)
    if order != 0 { return Int(order) }
  }
  return left.count - right.count
}

/// Returns the bytes from an opening bracket to the one that closes it.
private func bracketed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
  var depth = 0
  var inString = false
  var index = 0
  while index < text.count {
    switch text[index] {
    case UInt8(ascii: "\\") where inString: index &+= 1
    case UInt8(ascii: "\""): inString.toggle()
    case UInt8(ascii: "{") where !inString, UInt8(ascii: "[") where !inString: depth &+= 1
    case UInt8(ascii: "}") where !inString, UInt8(ascii: "]") where !inString:
      depth &-= 1
      if depth <= 0 { return UnsafeRawBufferPointer(rebasing: text[0...index]) }
    default: break
    }
    index &+= 1
  }
  return nil
}

extension Value {
  /// Whether both are the same JSON value; an integer never equals a double.
  package func isEqual(to other: Value) -> Bool {
    if node == other.node { return true }
    guard type == other.type else { return false }
    switch type {
    case .null: return true
    case .bool: return bool == other.bool
    case .int: return int == other.int
    case .double: return double == other.double
    case .string: return isSame(string, other.string)
    case .array, .object: return isSame(containerText, other.containerText)
    }
  }

  /// Calls `body` with the canonical JSON of the value, which is not copied if the value is an array or object.
  package func withCanonicalText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(RemoraError) -> Result {
    if let text = containerText { return body(text) }
    var scalar = ByteBuffer()
    try scalar.appendCanonical(self)
    return body(scalar.bytes)
  }
}

private func isSame(_ left: UnsafeRawBufferPointer?, _ right: UnsafeRawBufferPointer?) -> Bool {
  guard let left, let right else { return false }
  return left.count == right.count && compareBytes(left, right) == 0
}
