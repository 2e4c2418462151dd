// SPDX-License-Identifier: Apache-2.0
//
// Reads by key and JSON Pointer, as the C layer needs them: no allocation, no reference count, no error object
// unless somebody wants to know.

internal import Glibc

extension SnapshotReader {
  /// The value of a NUL-terminated key, or what a NUL-terminated JSON Pointer finds in it.
  @inline(__always)
  package func find(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Finding {
    let bytes = UnsafeRawBufferPointer(start: key, count: strlen(key))
    guard let pointer, pointer.pointee != 0 else {
      return entry(bytes).map { .found($0.value) } ?? .absent
    }
    let text = UnsafeRawBufferPointer(start: pointer, count: strlen(pointer))
    guard let entry = entry(bytes) else { return isJSONPointer(text) ? .absent : .malformed }
    return entry.value.at(pointer: text)
  }
}

// Each read is one function of the core, and takes the reader where it lies: the C layer is another module, into which
// nothing of this is inlined.
extension UnsafePointer<SnapshotReader> {
  /// The value of a key of `length` bytes; nil also for a length that no key has.
  package func value(of key: UnsafePointer<CChar>, length: Int) -> Value? {
    guard length > 0, length <= maximumKeyLength else { return nil }
    return pointee.entry(UnsafeRawBufferPointer(start: key, count: length))?.value
  }

  /// The boolean at a place, or nil.
  package func bool(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Bool? {
    pointee.find(key, pointer).value?.bool
  }

  /// The integer at a place, or nil.
  package func int(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Int64? {
    pointee.find(key, pointer).value?.int
  }

  /// The number at a place, or nil.
  package func double(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Double? {
    pointee.find(key, pointer).value?.double
  }

  /// The string at a place, or nil.
  package func string(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> UnsafeRawBufferPointer? {
    pointee.find(key, pointer).value?.string
  }

  /// The string at a place if it is an absolute URI (see `ParsedURL.isAbsolute`), or nil. Unlike the others it allocates.
  package func url(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> UnsafeRawBufferPointer? {
    guard let string = string(key, pointer), let text = String(validating: string, as: UTF8.self) else { return nil }
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

  /// Calls `body` with the string at a place of the live snapshot, or nil; it must be quick.
  package func string<Result>(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ body: (UnsafeRawBufferPointer?) -> Result
  ) -> Result {
    read { body($0.string(key, pointer)) } ?? body(nil)
  }

  /// The same with a value of any type.
  package func value<Result>(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ body: (Value?) -> Result
  ) -> Result {
    read { body($0.pointee.find(key, pointer).value) } ?? body(nil)
  }

  /// The same with a URL.
  package func url<Result>(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ body: (UnsafeRawBufferPointer?) -> Result
  ) -> Result {
    read { body($0.url(key, pointer)) } ?? body(nil)
  }
}

extension Finding {
  /// The value, if there is one.
  @inline(__always)
  package var value: Value? {
    if case .found(let value) = self { return value }
    return nil
  }
}
