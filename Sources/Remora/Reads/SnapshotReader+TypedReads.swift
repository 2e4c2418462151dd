// SPDX-License-Identifier: Apache-2.0
//
// Reads by key and JSON Pointer for the C layer: no allocation, no reference count, and no error object unless the
// caller requests it.

extension SnapshotReader {
  /// Returns the value of a NUL-terminated key, or the one at a NUL-terminated JSON Pointer in it.
  package func find(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Finding {
    guard let pointer, pointer.pointee != 0 else {
      return inlinedEntry(bytes(of: key)).map { .found($0.value) } ?? .absent
    }
    return find(bytes(of: key), at: bytes(of: pointer))
  }

  /// Returns the result of following a non-empty JSON Pointer in the value of a key.
  package func find(_ key: UnsafeRawBufferPointer, at pointer: UnsafeRawBufferPointer) -> Finding {
    guard let entry = inlinedEntry(key) else { return isJSONPointer(pointer) ? .absent : .malformed }
    return entry.value.at(pointer: pointer)
  }

  /// Returns the value of a NUL-terminated key, or the one at a NUL-terminated JSON Pointer in it.
  ///
  /// - Throws: `.notFound`; `.invalidArgument` for the key or the pointer.
  package func required(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?
  ) throws(RemoraError) -> Value {
    let finding = find(key, pointer)
    if let value = finding.value { return value }
    throw finding.failure(at: bytes(of: key), pointer.map(bytes), wanted: "a value")
  }

  @inline(never)
  fileprivate func outOfRange(_ index: Int) -> RemoraError {
    RemoraError(.notFound, "index \(UInt(bitPattern: index)) is out of range: the snapshot has \(count) keys")
  }
}

// Each read is one function of the core and takes a pointer to the reader, because the C layer is another module, into
// which nothing of this is inlined.
extension UnsafePointer<SnapshotReader> {
  /// Returns the value of a key of `length` bytes; nil also if no key can have that length.
  package func value(of key: UnsafePointer<CChar>, length: Int) -> Value? {
    guard length > 0, length <= maximumKeyLength else { return nil }
    return pointee.inlinedEntry(UnsafeRawBufferPointer(start: key, count: length))?.value
  }

  /// Returns the value at a place in the value of a key; `pointer` is not empty.
  package func value(
    of key: UnsafePointer<CChar>, length: Int, at pointer: UnsafePointer<CChar>, pointerLength: Int
  ) -> Value? {
    guard length > 0, length <= maximumKeyLength, pointerLength > 0 else { return nil }
    let (key, pointer) = (
      UnsafeRawBufferPointer(start: key, count: length), UnsafeRawBufferPointer(start: pointer, count: pointerLength)
    )
    return pointee.find(key, at: pointer).value
  }

  /// Returns the entry at a position in the order of keys.
  ///
  /// - Throws: `.notFound`.
  package func requiredEntry(at index: Int) throws(RemoraError) -> Entry {
    guard let entry = pointee.entry(at: index) else { throw pointee.outOfRange(index) }
    return entry
  }

  package func bool(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Bool? {
    pointee.find(key, pointer).value?.bool
  }

  package func int(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Int64? {
    pointee.find(key, pointer).value?.int
  }

  package func double(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Double? {
    pointee.find(key, pointer).value?.double
  }

  package func string(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> UnsafeRawBufferPointer? {
    pointee.find(key, pointer).value?.string
  }

  /// The string at a place if it is an absolute URI (see `ParsedURL.isAbsolute`), or nil. Unlike other reads it
  /// allocates.
  package func url(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> UnsafeRawBufferPointer? {
    pointee.find(key, pointer).value?.url
  }
}

extension Value {
  /// The string if it is an absolute URI (see `ParsedURL.isAbsolute`), or nil.
  package var url: UnsafeRawBufferPointer? {
    guard let string, let text = String(validating: string, as: UTF8.self) else { return nil }
    return ParsedURL.isAbsolute(text) ? string : nil
  }
}

extension LiveCell {
  /// The boolean at a place of the live snapshot, or nil.
  package func bool(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Bool? {
    read { $0.bool(key, pointer) } ?? nil
  }

  /// The integer at a place of the live snapshot, or nil.
  package func int(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Int64? {
    read { $0.int(key, pointer) } ?? nil
  }

  /// The number at a place of the live snapshot, or nil.
  package func double(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Double? {
    read { $0.double(key, pointer) } ?? nil
  }

  /// Calls `body` with the string at a place of the live snapshot, or nil; `body` must be quick.
  package func string<Result>(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ body: (UnsafeRawBufferPointer?) -> Result
  ) -> Result {
    read { body($0.string(key, pointer)) } ?? body(nil)
  }

  /// Calls `body` with the value at a place of the live snapshot, or nil; `body` must be quick.
  package func value<Result>(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ body: (Value?) -> Result
  ) -> Result {
    read { body($0.pointee.find(key, pointer).value) } ?? body(nil)
  }

  /// Calls `body` with the URL at a place of the live snapshot, or nil; `body` must be quick.
  package func url<Result>(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ body: (UnsafeRawBufferPointer?) -> Result
  ) -> Result {
    read { body($0.url(key, pointer)) } ?? body(nil)
  }
}
