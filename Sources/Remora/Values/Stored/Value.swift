// SPDX-License-Identifier: Apache-2.0
//
// One JSON value inside an image: two words, no ownership, no allocation, no copy.
// Invariant: `node` has 8 readable bytes inside `region`; everything it refers to is checked when it is followed.

/// A view of a value; valid as long as the snapshot that it belongs to.
package struct Value {
  /// The word of the value.
  package let node: UnsafeRawPointer
  /// The image that contains the word.
  package let region: UnsafePointer<Region>

  /// Creates a view of a word whose 8 bytes are known to be inside the region.
  @inline(__always)
  package init(node: UnsafeRawPointer, region: UnsafePointer<Region>) {
    self.node = node
    self.region = region
  }

  @inline(__always)
  private var word: Word { Word(node.load(as: UInt64.self)) }

  /// The type; an unknown type in a damaged image reads as null.
  @inline(__always)
  package var type: ValueType { word.type }

  /// The number of elements of an array or members of an object. 0 for other values, and in a damaged image for
  /// children that are not all inside it, so a loop over the children always ends.
  package var count: Int { children?.count ?? 0 }

  /// The boolean, if it is one.
  @inline(__always)
  package var bool: Bool? { word.type == .bool ? word.bool : nil }

  /// The integer, if it is one or a double that is exactly one.
  @inline(__always)
  package var int: Int64? {
    switch word.type {
    case .int: word.isFar ? longForm?.load(as: Int64.self) : word.int
    case .double: Int64(exactly: word.double)
    default: nil
    }
  }

  /// The double, if it is one or an integer that is exactly one.
  @inline(__always)
  package var double: Double? {
    switch word.type {
    case .double: word.double
    case .int: int.flatMap(Double.init(exactly:))
    default: nil
    }
  }

  /// The bytes of the string, if it is one; a NUL follows them.
  @inline(__always)
  package var string: UnsafeRawBufferPointer? {
    guard word.type == .string, let place else { return nil }
    return region.pointee.text(from: place.origin, offset: place.distance, count: place.count)
  }

  /// The element at a position, if this is an array that has one.
  package func element(at index: Int) -> Value? {
    guard type == .array, let children, index >= 0, index < children.count else { return nil }
    return children.value(at: index)
  }

  /// The name and value at a position, if this is an object that has one. A NUL follows the name.
  package func member(at index: Int) -> (name: UnsafeRawBufferPointer, value: Value)? {
    guard type == .object, let children, index >= 0, index < children.count else { return nil }
    return children.name(at: index).map { ($0, children.value(at: index)) }
  }

  /// Returns the member with these bytes as its name, if this is an object that has one.
  ///
  /// - Complexity: O(log count), because members are sorted.
  @inline(__always)
  package func member(named wanted: UnsafeRawBufferPointer) -> Value? {
    guard type == .object, let children, let index = children.index(of: wanted) else { return nil }
    return children.value(at: index)
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

  /// The 8 bytes to which a far word refers; nil unless they are inside the region and after the word.
  private var longForm: UnsafeRawPointer? {
    guard word.distance >= UInt32(ValueLayout.wordSize) else { return nil }
    return region.pointee.structure(from: node, offset: word.distance, count: ValueLayout.wordSize)
  }

  /// The distance of the content of a string, array or object, from where it counts, and the number of its parts.
  @inline(__always)
  private var place: (origin: UnsafeRawPointer, distance: UInt32, count: Int)? {
    guard word.isFar else { return (node, word.distance, word.count) }
    return longForm.map { ($0, $0.load(as: UInt32.self), Int($0.load(fromByteOffset: 4, as: UInt32.self))) }
  }

  /// The children of an array or object; nil unless all are inside the region and after its word, so that no value can
  /// contain itself.
  @inline(__always)
  var children: Children? {
    guard type == .array || type == .object, let place else { return nil }
    guard place.distance >= UInt32(ValueLayout.wordSize) else { return nil }
    return Children(of: type, count: place.count, at: place.distance, from: place.origin, in: region)
  }
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
    case .array, .object: return isSame(children?.storedText, other.children?.storedText)
    }
  }

  /// Calls `body` with the canonical JSON of the value.
  package func withCanonicalText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(RemoraError) -> Result {
    var text = ByteBuffer()
    try text.appendCanonical(self)
    return body(text.bytes)
  }
}

private func isSame(_ left: UnsafeRawBufferPointer?, _ right: UnsafeRawBufferPointer?) -> Bool {
  guard let left, let right else { return false }
  return left.count == right.count && compareBytes(left, right) == 0
}
