// SPDX-License-Identifier: Apache-2.0
//
// Reads a JSON document whose bytes may arrive in pieces. jansson parses one value at a time, so that a long array of
// records is decoded and freed record by record. Delimiters and the limits of depth and count are checked here.

/// The maximum nesting of arrays and objects in a document.
package let maximumDepth = 64

/// The maximum number of parts of a value that is parsed at once (a record, a namespace, a member of settings), and of
/// values that a document contains. jansson needs up to 200 bytes for a part.
package let maximumParts = 1_000_000

/// The number of bytes after which the memory of a text that was read is discarded.
private let discardedPiece = 512 << 10

/// The place of a value in a document.
package enum JSONPlace {
  /// The document itself.
  case document
  /// A member of an object; that of the document's own object has the level 1.
  case member(String, level: Int)
  /// An element of an array, by its index.
  case element(Int, level: Int)
}

/// Receives the values of a document.
package protocol JSONVisitor: ~Copyable {
  /// Decides whether the parts of a container are visited one by one. If not, the container is visited as one value.
  ///
  /// - Parameter type: `.object` or `.array`.
  mutating func enter(_ place: JSONPlace, _ type: ValueType) -> Bool

  /// Receives a value that was not entered.
  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) throws(RemoraError)

  /// Decides whether a value that cannot be parsed is left out. If not, the document is refused with the error.
  mutating func leaveOut(_ error: RemoraError, at place: JSONPlace) -> Bool
}

extension JSONVisitor where Self: ~Copyable {
  package mutating func leaveOut(_ error: RemoraError, at place: JSONPlace) -> Bool { false }
}

/// A document that is being read.
package struct JSONReader {
  /// The part of the text that must follow.
  private enum Expected {
    case value, nameOrEnd, name, colon, elementOrEnd, commaOrEnd, end
  }

  /// An object or array that was entered and has not ended.
  private struct Container {
    let type: ValueType
    /// The name of an array in messages.
    let name: String
    /// The names of the members so far.
    var names = MemberNames()
    /// The number of elements so far.
    var index = 0

    var closing: UInt8 { type == .object ? UInt8(ascii: "}") : UInt8(ascii: "]") }
  }

  /// The name of the document in error messages: "the server's response".
  private let name: String
  /// The number of bytes read so far.
  private var position = 0
  /// The number of bytes that were discarded.
  private var discarded = 0
  private var expected = Expected.value
  /// The place of the next value.
  private var place = JSONPlace.document
  /// The search for the end of the next value, if it has not arrived completely.
  private var scan: JSONScan?
  private var entered: [Container] = []

  /// Whether nothing was read yet, so a UTF-8 byte order mark may follow.
  private var isAtStart = true
  /// Whether the document began with a byte order mark, which was skipped.
  private(set) var hasMark = false

  /// Starts at the beginning of a document. A UTF-8 byte order mark there is skipped.
  ///
  /// - Parameter name: The name of the document in messages.
  package init(name: String) { self.name = name }

  /// Reads the values that have arrived completely, and discards their memory.
  ///
  /// - Parameters:
  ///   - text: All bytes since the beginning of the document. A further call must pass the same bytes, and more.
  ///   - isWhole: Whether these are all bytes of the document; then it must be complete.
  /// - Throws: `.parse` for a syntax error, a duplicate name or too deep nesting, with the position; `.tooLarge` for
  ///   too many parts; `.unavailable` if memory is exhausted; and the errors of the visitor. No further call is allowed
  ///   afterwards.
  package mutating func read<Visitor: JSONVisitor & ~Copyable>(
    _ text: DocumentText, isWhole: Bool, _ visitor: inout Visitor
  ) throws(RemoraError) {
    if isAtStart {
      // The first piece of a document that arrives in pieces is longer than the mark.
      hasMark = text.bytes.starts(with: byteOrderMark)
      if hasMark { position = byteOrderMark.count }
      isAtStart = false
    }
    while try step(text, isWhole: isWhole, &visitor) {
      guard position &- discarded >= discardedPiece else { continue }
      text.discard(discarded..<position)
      discarded = position
    }
  }

  /// Reads the next value or delimiter. Returns false at the end of the bytes.
  private mutating func step<Visitor: JSONVisitor & ~Copyable>(
    _ text: DocumentText, isWhole: Bool, _ visitor: inout Visitor
  ) throws(RemoraError) -> Bool {
    let bytes = text.bytes
    while position < bytes.count, isSpace(bytes[position]) { position &+= 1 }
    guard position < bytes.count else {
      guard !isWhole || expected == .end else { throw truncated }
      return false
    }
    let next = bytes[position]
    switch expected {
    case .value: return try readValue(bytes, isWhole: isWhole, &visitor)
    case .name: return try readName(bytes, isWhole: isWhole)
    case .nameOrEnd, .elementOrEnd:
      if next == entered.last?.closing { leave() } else { expected = expected == .nameOrEnd ? .name : .value }
    case .colon:
      guard next == UInt8(ascii: ":") else { throw syntax }
      position &+= 1
      expected = .value
    case .commaOrEnd:
      if next == entered.last?.closing { leave() } else { try readComma(next) }
    case .end: throw syntax
    }
    return true
  }

  /// Reads a value, or enters a container. Returns false if the value is not complete.
  private mutating func readValue<Visitor: JSONVisitor & ~Copyable>(
    _ bytes: UnsafeRawBufferPointer, isWhole: Bool, _ visitor: inout Visitor
  ) throws(RemoraError) -> Bool {
    if scan == nil, let type = containerType(bytes[position]), visitor.enter(place, type) {
      enter(type)
      return true
    }
    let start = position
    do throws(RemoraError) {
      guard let value = try parseNext(bytes, isWhole: isWhole) else { return false }
      try visitor.visit(value, at: place)
    } catch {
      var scan = JSONScan(at: start)
      guard error.code == .parse, let end = scan.end(in: bytes), visitor.leaveOut(error, at: place) else { throw error }
      position = end
    }
    expected = entered.isEmpty ? .end : .commaOrEnd
    return true
  }

  /// Reads the name of a member. Returns false if it is not complete.
  private mutating func readName(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) throws(RemoraError) -> Bool {
    guard bytes[position] == UInt8(ascii: "\"") else { throw syntax }
    if scan == nil, let end = endOfPlainString(bytes, at: position) {
      let member = UnsafeRawBufferPointer(rebasing: bytes[(position &+ 1)..<(end &- 1)])
      position = end
      try note(member)
      return true
    }
    guard let parsed = try parseNext(bytes, isWhole: isWhole) else { return false }
    try parsed.read { value throws(RemoraError) in
      guard let member = value.stringBytes else { throw syntax }
      guard !member.contains(0) else { throw RemoraError(.parse, "\(name) has a NUL in a member name") }
      try note(member)
    }
    return true
  }

  /// Notes the name of the next member.
  private mutating func note(_ member: UnsafeRawBufferPointer) throws(RemoraError) {
    let last = entered.count &- 1
    guard entered[last].names.insert(member) else {
      throw RemoraError(.parse, "\(name) has the member \(shown(member)) twice")
    }
    guard entered[last].names.count <= maximumParts else { throw tooMany("members") }
    place = .member(String(decoding: member, as: UTF8.self), level: entered.count)
    expected = .colon
  }

  private mutating func readComma(_ next: UInt8) throws(RemoraError) {
    guard next == UInt8(ascii: ",") else { throw syntax }
    position &+= 1
    let last = entered.count &- 1
    guard entered[last].type == .array else { return expected = .name }
    entered[last].index &+= 1
    guard entered[last].index < maximumParts else { throw tooMany("elements of \(entered[last].name)") }
    place = .element(entered[last].index, level: entered.count)
    expected = .value
  }

  private mutating func enter(_ type: ValueType) {
    position &+= 1
    var container = "the array"
    if case .member(let name, _) = place { container = shown(name.utf8) }
    entered.append(Container(type: type, name: container))
    expected = type == .object ? .nameOrEnd : .elementOrEnd
    if type == .array { place = .element(0, level: entered.count) }
  }

  private mutating func leave() {
    position &+= 1
    entered.removeLast()
    expected = entered.isEmpty ? .end : .commaOrEnd
  }

  /// Parses the value at the position; nil if it is not complete.
  private mutating func parseNext(
    _ bytes: UnsafeRawBufferPointer, isWhole: Bool
  ) throws(RemoraError) -> ParsedJSON? {
    var scan = scan ?? JSONScan(at: position)
    let end = scan.end(in: bytes) ?? (isWhole ? bytes.count : nil)
    guard scan.depth &+ entered.count <= maximumDepth else {
      throw RemoraError(.parse, "\(name) is nested deeper than \(maximumDepth) levels")
    }
    guard scan.parts <= maximumParts else {
      throw tooMany("elements and members in the value at byte \(position)")
    }
    guard let end else {
      self.scan = scan
      return nil
    }
    self.scan = nil
    return try ParsedJSON(bytes, at: &position, end: end, scan: scan, of: name)
  }

  private func tooMany(_ what: String) -> RemoraError {
    RemoraError(.tooLarge, "\(name) has more than \(maximumParts) \(what)")
  }

  /// What must follow, for messages.
  private var expectation: StaticString {
    switch expected {
    case .value, .elementOrEnd: "a value"
    case .name, .nameOrEnd: "a member name"
    case .colon: "a colon"
    case .commaOrEnd where entered.last?.type == .array: "a comma or a closing bracket"
    case .commaOrEnd: "a comma or a closing brace"
    case .end: "the end of the document"
    }
  }

  /// The error for a text that does not continue as expected.
  private var syntax: RemoraError {
    RemoraError(.parse, "\(name) is not JSON at byte \(position): expected \(expectation)")
  }

  /// The error for a text that ends too early.
  private var truncated: RemoraError {
    guard expected == .value, entered.isEmpty else {
      return RemoraError(
        .parse, "\(name) is incomplete JSON: it ends at byte \(position), where \(expectation) was expected")
    }
    return RemoraError(.parse, "\(name) \(position == 0 ? "is empty" : "contains only white space")")
  }
}

extension JSONReader {
  /// Reads a complete document.
  ///
  /// - Parameter name: The name of the document in messages.
  package static func read<Visitor: JSONVisitor & ~Copyable>(
    _ document: UnsafeRawBufferPointer, named name: String, _ visitor: inout Visitor
  ) throws(RemoraError) {
    var reader = JSONReader(name: name)
    try reader.read(DocumentText(document), isWhole: true, &visitor)
  }
}

/// The bytes that some editors write at the beginning of a UTF-8 text.
package var byteOrderMark: [UInt8] { [0xEF, 0xBB, 0xBF] }

/// Whether the byte is JSON white space.
func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

/// Returns the type of the container that begins with a byte.
private func containerType(_ byte: UInt8) -> ValueType? {
  switch byte {
  case UInt8(ascii: "{"): .object
  case UInt8(ascii: "["): .array
  default: nil
  }
}
