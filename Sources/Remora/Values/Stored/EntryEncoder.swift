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
  /// The canonical text of the entry that is being encoded, with a NUL instead of the quote that ends a string.
  private var text = ByteBuffer()
  /// The words of that entry with a distance in the text, and the 4-byte distances. They are from the beginning of the
  /// text, until `appendText` moves them.
  private var textWords: [Int] = []
  private var textDistances: [Int] = []
  /// Scratch for the members of objects, a stack of sorted runs.
  private var members: [Member] = []
  /// The positions of their names in the text; nil for a name with escapes.
  private var namePositions: [Int?] = []
  /// The position of the word of the record that is being encoded with its key as member `id`.
  private var recordPlace: Int?
  /// The position of that id in the text.
  private var idText: Int?

  /// - Parameter room: The number of zeros before the first entry; a multiple of 8.
  package init(leaving room: Int = 0) { self.room = room }

  /// Encodes a value under a key.
  ///
  /// - Parameters:
  ///   - isID: Whether the key is also the member `id` of the value, and need not be stored twice.
  ///   - origin: The origin of the value, if it differs from the image's; else 0.
  ///   - position: The position of the key in its document, if it is to be stored; else 0.
  /// - Throws: `.format` for a key beyond 65,535 bytes; `.tooLarge`.
  package mutating func append(
    key: UnsafeRawBufferPointer, _ value: borrowing ParsedJSON, isID: Bool = false, origin: Int32 = 0,
    position: UInt32 = 0
  ) throws(RemoraError) -> EntryRange {
    guard key.count <= maximumKeyLength else {
      throw RemoraError.format("a key", "has \(key.count) bytes; at most \(maximumKeyLength) are allowed")
    }
    if entries.count < room { try entries.appendZeros(room) }
    let start = entries.count
    try appendHeader(key, isID: isID, origin: origin, position: position)
    recordPlace = isID ? start &+ ValueLayout.entryWord : nil
    try encode(value.json, at: start &+ ValueLayout.entryWord)
    let textStart = try appendText()
    try entries.align()
    let length = entries.count &- start
    let flag = entries.bytes.load(fromByteOffset: start, as: UInt32.self)
    entries.patch(UInt32(truncatingIfNeeded: length) | flag, at: start)
    guard isID else { return EntryRange(offset: start, length: length) }
    guard let idText, isPlain(key), let distance = UInt16(exactly: textStart &+ idText &- start) else {
      // The id has escapes, or is too far behind.
      entries.truncate(to: start)
      return try append(key: key, value, origin: origin, position: position)
    }
    entries.patch(distance, at: start &+ ValueLayout.entryKeyDistance)
    return EntryRange(offset: start, length: length)
  }

  /// Returns the encoded bytes as memory that does not move.
  package consuming func finish() throws(RemoraError) -> ImageBuffer { try entries.intoImageBuffer() }

  /// Returns the room and the encoded bytes as a buffer, to be continued.
  package consuming func intoBuffer() -> ByteBuffer { entries }

  private mutating func appendHeader(
    _ key: UnsafeRawBufferPointer, isID: Bool, origin: Int32, position: UInt32
  ) throws(RemoraError) {
    text.removeAll()
    textWords.removeAll(keepingCapacity: true)
    textDistances.removeAll(keepingCapacity: true)
    idText = nil
    let start = entries.count
    let hasDetails = origin != 0 || position != 0
    let size = ValueLayout.entrySize &+ (hasDetails ? ValueLayout.entryDetailsSize : 0)
    try entries.appendZeros(size)
    entries.patch(UInt16(truncatingIfNeeded: key.count), at: start &+ ValueLayout.entryKeyLength)
    if hasDetails {
      entries.patch(ValueLayout.detailsFlag, at: start)
      entries.patch(origin, at: start &+ ValueLayout.entryOrigin)
      entries.patch(position, at: start &+ ValueLayout.entryPosition)
    }
    guard !isID else { return }
    entries.patch(UInt16(truncatingIfNeeded: size), at: start &+ ValueLayout.entryKeyDistance)
    try entries.appendTerminated(key)
    try entries.align()
  }

  /// Appends the text of the entry, and completes the distances to it. Returns its position.
  private mutating func appendText() throws(RemoraError) -> Int {
    let start = entries.count
    guard !textWords.isEmpty || !textDistances.isEmpty else { return start }
    try entries.append(text.bytes)
    for place in textWords {
      let word = Word(entries.bytes.load(fromByteOffset: place, as: UInt64.self))
      entries.patch(word.moved(by: start &- place).bits, at: place)
    }
    for place in textDistances {
      let distance = entries.bytes.load(fromByteOffset: place, as: UInt32.self)
      entries.patch(distance &+ UInt32(truncatingIfNeeded: start &- place), at: place)
    }
    return start
  }

  /// Writes the word at a position, and appends the content of the value, both binary and as text.
  private mutating func encode(_ json: UnsafeMutablePointer<json_t>, at place: Int) throws(RemoraError) {
    switch json.pointee.type {
    case JSON_TRUE, JSON_FALSE:
      let isTrue = json.pointee.type == JSON_TRUE
      put(Word(.bool, number: isTrue ? 1 : 0), at: place)
      try text.append(isTrue ? "true" : "false")
    case JSON_INTEGER:
      let number = Int64(json_integer_value(json))
      try put(number, at: place)
      try text.appendCanonical(number)
    case JSON_REAL:
      let number = json_real_value(json)
      put(Word(number), at: place)
      try text.appendCanonical(number)
    case JSON_STRING:
      let string = UnsafeRawBufferPointer(start: json_string_value(json), count: json_string_length(json))
      try encodeString(string, at: place)
    case JSON_ARRAY:
      try encodeArray(json, at: place)
    case JSON_OBJECT:
      try encodeObject(json, at: place)
    default:
      put(Word(.null), at: place)
      try text.append("null")
    }
  }

  private mutating func put(_ word: Word, at place: Int) { entries.patch(word.bits, at: place) }

  private mutating func put(_ number: Int64, at place: Int) throws(RemoraError) {
    guard !Word.isNear(number) else { return put(Word(.int, number: UInt64(bitPattern: number)), at: place) }
    entries.patch(number, at: try appendLongForm(of: .int, count: 0, at: place))
  }

  private mutating func encodeString(_ string: UnsafeRawBufferPointer, at place: Int) throws(RemoraError) {
    let isNear = Word.isNear(string.count)
    let origin = isNear ? place : try appendLongForm(of: .string, count: string.count, at: place)
    let position = try appendText(of: string)
    let distance = position ?? entries.count &- origin
    if position == nil { try entries.appendTerminated(string) }
    if isNear {
      put(Word(.string, distance: distance, count: string.count), at: place)
      if position != nil { textWords.append(place) }
    } else {
      entries.patch(UInt32(truncatingIfNeeded: distance), at: origin)
      if position != nil { textDistances.append(origin) }
    }
  }

  /// Appends a string or name to the text. Returns the position of its bytes there; nil if the text has escapes
  /// instead of some of them.
  private mutating func appendText(of string: UnsafeRawBufferPointer) throws(RemoraError) -> Int? {
    let start = text.count &+ 1
    try text.appendCanonical(string: string)
    text.patch(UInt8(0), at: text.count &- 1)
    return text.count == start &+ string.count &+ 1 ? start : nil
  }

  /// Writes a far word, and appends the 8 bytes to which it leads, with a count. Returns their position.
  private mutating func appendLongForm(of type: ValueType, count: Int, at place: Int) throws(RemoraError) -> Int {
    try entries.align()
    let position = entries.count
    put(Word(far: type, distance: position &- place), at: place)
    try entries.appendZeros(ValueLayout.wordSize)
    entries.patch(UInt32(truncatingIfNeeded: count), at: position &+ 4)
    return position
  }

  /// Writes the word of an array or object, and reserves the memory of its children. Returns its position.
  private mutating func open(
    _ type: ValueType, count: Int, size: Int, at place: Int
  ) throws(RemoraError) -> Int {
    if Word.isNear(count) {
      try entries.align()
      put(Word(type, distance: entries.count &- place, count: count), at: place)
    } else {
      let position = try appendLongForm(of: type, count: count, at: place)
      entries.patch(UInt32(truncatingIfNeeded: entries.count &- position), at: position)
    }
    let start = entries.count
    try entries.appendZeros(size)
    entries.patch(UInt32(truncatingIfNeeded: text.count), at: start)
    textDistances.append(start)
    return start
  }

  private mutating func encodeArray(_ json: UnsafeMutablePointer<json_t>, at place: Int) throws(RemoraError) {
    let count = json_array_size(json)
    let toWords = ValueLayout.wordsOfArray
    let start = try open(.array, count: count, size: toWords &+ count &* ValueLayout.wordSize, at: place)
    try text.append(UInt8(ascii: "["))
    for index in 0..<count {
      if index > 0 { try text.append(UInt8(ascii: ",")) }
      guard let element = json_array_get(json, index) else { continue }
      try encode(element, at: start &+ toWords &+ index &* ValueLayout.wordSize)
    }
    try text.append(UInt8(ascii: "]"))
  }

  private mutating func encodeObject(_ json: UnsafeMutablePointer<json_t>, at place: Int) throws(RemoraError) {
    let bottom = members.count
    collectMembers(of: json, above: bottom)
    let count = members.count &- bottom
    let toWords = ValueLayout.wordsOfObject(count)
    let textStart = text.count
    let start = try open(.object, count: count, size: toWords &+ count &* ValueLayout.wordSize, at: place)
    try text.append(UInt8(ascii: "{"))
    var isWide = false
    for index in 0..<count {
      let member = members[bottom &+ index]
      if index > 0 { try text.append(UInt8(ascii: ",")) }
      let position = try appendText(of: member.bytes)
      namePositions.append(position)
      if let position, member.length <= ValueLayout.longestName,
        let distance = UInt16(exactly: position &- textStart)
      {
        let name = nameMark(member.bytes) | UInt32(distance)
        entries.patch(name, at: start &+ 4 &+ index &* ValueLayout.nameSize)
      } else {
        isWide = true
      }
      try text.append(UInt8(ascii: ":"))
      if place == recordPlace, member.isID { idText = text.count &+ 1 }
      try encode(member.value, at: start &+ toWords &+ index &* ValueLayout.wordSize)
    }
    try text.append(UInt8(ascii: "}"))
    if isWide { try appendWideNames(count, ofObjectAt: start) }
    members.removeLast(count)
    namePositions.removeLast(count)
  }

  /// Appends wide names of the object whose members are on top of the stack, to be used instead of the short ones.
  private mutating func appendWideNames(_ count: Int, ofObjectAt start: Int) throws(RemoraError) {
    try entries.align()
    let first = entries.count
    let text = entries.bytes.load(fromByteOffset: start, as: UInt32.self)
    entries.patch(text | ValueLayout.wideNames, at: start)
    entries.patch(UInt32(truncatingIfNeeded: first &- start), at: start &+ 4)
    try entries.appendZeros(count &* ValueLayout.wideNameSize)
    for index in 0..<count {
      let place = first &+ index &* ValueLayout.wideNameSize
      let member = members[members.count &- count &+ index]
      let position = namePositions[namePositions.count &- count &+ index]
      entries.patch(UInt32(truncatingIfNeeded: position ?? entries.count &- place), at: place)
      entries.patch(UInt32(truncatingIfNeeded: member.length), at: place &+ 4)
      if position == nil { try entries.appendTerminated(member.bytes) } else { textDistances.append(place) }
    }
  }

  /// Pushes the members of an object on the stack, sorted by name.
  private mutating func collectMembers(of json: UnsafeMutablePointer<json_t>, above bottom: Int) {
    var iterator = json_object_iter(json)
    while let current = iterator {
      if let name = json_object_iter_key(current), let value = json_object_iter_value(current) {
        insert(Member(name: name, length: json_object_iter_key_len(current), value: value), above: bottom)
      }
      iterator = json_object_iter_next(json, current)
    }
    if members.count &- bottom > Self.mostInserted { members[bottom...].sort { $0.isBefore($1) } }
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
}
