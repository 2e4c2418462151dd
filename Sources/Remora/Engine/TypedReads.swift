// SPDX-License-Identifier: Apache-2.0
//
// Reads by key and JSON Pointer, as the C layer needs them: no allocation, no reference count, no error object
// unless somebody wants to know.

internal import Glibc

/// What a typed read came to.
package enum Reading<Result> {
  case ok(Result)
  /// No such key, member or element, or it holds null.
  case notFound
  /// A value of another type, or one that does not convert exactly.
  case wrongType(ValueType)
  /// The JSON Pointer breaks the grammar.
  case malformedPointer
}

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

extension Finding {
  /// Reads the value that was found with one of the typed accessors.
  @inline(__always)
  package func read<Result>(_ get: (Value) -> Result?) -> Reading<Result> {
    switch self {
    case .absent: return .notFound
    case .malformed: return .malformedPointer
    case .found(let value):
      if let result = get(value) { return .ok(result) }
      let type = value.type
      return type == .null ? .notFound : .wrongType(type)
    }
  }
}

extension LiveCell {
  /// The boolean at a place of the live snapshot, or nil.
  package func bool(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Bool? {
    read { reader in reader.pointee.find(key, pointer).value?.bool } ?? nil
  }

  /// The integer at a place of the live snapshot, or nil.
  package func int(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Int64? {
    read { reader in reader.pointee.find(key, pointer).value?.int } ?? nil
  }

  /// The number at a place of the live snapshot, or nil.
  package func double(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Double? {
    read { reader in reader.pointee.find(key, pointer).value?.double } ?? nil
  }

  /// Calls `body` with the string at a place of the live snapshot, or nil; it must be quick.
  package func string<Result>(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ body: (UnsafeRawBufferPointer?) -> Result
  ) -> Result {
    read { reader in body(reader.pointee.find(key, pointer).value?.string) } ?? body(nil)
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
