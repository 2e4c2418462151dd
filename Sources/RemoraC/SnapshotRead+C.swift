// SPDX-License-Identifier: Apache-2.0
//
// Section "snapshots" of remora.h: reads by key. No allocation, copy, lock or reference count on success.

public import CRemora
internal import Glibc
internal import Remora

@_cdecl("remora_snapshot_get") @implementation
public func remora_snapshot_get(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ out_value: UnsafeMutablePointer<remora_value>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  remora_snapshot_get_n(snapshot, key, key.map { strlen($0) } ?? 0, out_value, error)
}

@_cdecl("remora_snapshot_get_n") @implementation
public func remora_snapshot_get_n(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ key_length: Int,
  _ out_value: UnsafeMutablePointer<remora_value>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let reader = try reader(snapshot)
    let start = try require(key, "key")
    let out = try require(out_value, "out_value")
    guard (1...maximumKeyLength).contains(key_length) else {
      throw .invalidArgument("key", "has \(UInt(bitPattern: key_length)) bytes; 1 to \(maximumKeyLength) are allowed")
    }
    let bytes = UnsafeRawBufferPointer(start: start, count: key_length)
    guard let entry = reader.entry(bytes) else {
      try requireKey(bytes)
      throw notFound(bytes, nil)
    }
    out.pointee = remora_value(entry.value)
  }
}

@_cdecl("remora_snapshot_bool") @implementation
public func remora_snapshot_bool(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out_value: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let value = try read(snapshot, key, pointer, out_value, "out_value", "a boolean") { $0.bool }
    out_value?.pointee = value ? 1 : 0
  }
}

@_cdecl("remora_snapshot_int") @implementation
public func remora_snapshot_int(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out_value: UnsafeMutablePointer<Int64>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let number = try read(snapshot, key, pointer, out_value, "out_value", "exactly a 64-bit integer") { $0.int }
    out_value?.pointee = number
  }
}

@_cdecl("remora_snapshot_double") @implementation
public func remora_snapshot_double(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out_value: UnsafeMutablePointer<Double>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let number = try read(snapshot, key, pointer, out_value, "out_value", "exactly a double") { $0.double }
    out_value?.pointee = number
  }
}

@_cdecl("remora_snapshot_string") @implementation
public func remora_snapshot_string(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out_string: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ out_length: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let string = try read(snapshot, key, pointer, out_string, "out_string", "a string") { $0.string }
    out_string?.pointee = string.cString
    out_length?.pointee = string.count
  }
}

/// Finds a value and reads it with a typed accessor.
@inline(__always)
private func read<Result, Out>(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out: UnsafeMutablePointer<Out>?, _ outName: StaticString, _ wanted: StaticString, _ get: (Value) -> Result?
) throws(RemoraError) -> Result {
  let reader = try reader(snapshot)
  let key = try require(key, "key")
  _ = try require(out, outName)
  let finding = reader.find(key, pointer)
  if case .found(let value) = finding, let result = get(value) { return result }
  throw failure(finding, key, pointer, wanted)
}

/// Finds a value for another section's function.
func find(
  _ reader: SnapshotReader, _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?
) throws(RemoraError) -> Value {
  let finding = reader.find(key, pointer)
  guard case .found(let value) = finding else { throw failure(finding, key, pointer, "a value") }
  return value
}

/// Why a read did not give what was wanted: the slow way, after the fact.
private func failure(
  _ finding: Finding, _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ wanted: StaticString
) -> RemoraError {
  let bytes = UnsafeRawBufferPointer(start: key, count: strlen(key))
  do throws(RemoraError) {
    try requireKey(bytes)
    let text = try text(pointer, "pointer")
    switch finding {
    case .malformed:
      return .invalidArgument("pointer", "\"\(text ?? "")\" is not a JSON Pointer (RFC 6901)")
    case .found(let value) where value.type != .null:
      return RemoraError(.wrongType, "\(place(bytes, text)) is \(value.type.name), not \(wanted)")
    case .found, .absent:
      return notFound(bytes, text)
    }
  } catch {
    return error
  }
}

private func notFound(_ key: UnsafeRawBufferPointer, _ pointer: String?) -> RemoraError {
  RemoraError(.notFound, "there is no \(place(key, pointer))")
}

/// A key and pointer for a sentence; a long key is cut.
private func place(_ key: UnsafeRawBufferPointer, _ pointer: String?) -> String {
  let name = String(decoding: key.prefix(200), as: UTF8.self)
  return "key \"\(name)\"" + (pointer.map { $0.isEmpty ? "" : " at \($0)" } ?? "")
}
