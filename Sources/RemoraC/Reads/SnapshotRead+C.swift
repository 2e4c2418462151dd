// SPDX-License-Identifier: Apache-2.0
//
// Section "snapshots" of remora.h: reads by key. No allocation, copy, lock or reference count on success.

public import CRemora
internal import Glibc
internal import Remora

// In each of these functions the success path is first, and calls the core once. Separate functions do everything else,
// so that their variables do not enlarge the stack frame of the read.

@_cdecl("remora_snapshot_get") @implementation
public func remora_snapshot_get(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out_value: UnsafeMutablePointer<remora_value>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  get(snapshot, key, key.map { strlen($0) } ?? 0, pointer, pointer.map { strlen($0) } ?? 0, out_value, error)
}

@_cdecl("remora_snapshot_get_n") @implementation
public func remora_snapshot_get_n(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ key_length: Int, _ pointer: UnsafePointer<CChar>?,
  _ pointer_length: Int, _ out_value: UnsafeMutablePointer<remora_value>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  get(snapshot, key, key_length, pointer, pointer_length, out_value, error)
}

@inline(__always)
private func get(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ length: Int, _ pointer: UnsafePointer<CChar>?,
  _ pointerLength: Int, _ out_value: UnsafeMutablePointer<remora_value>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  guard let snapshot, let key, let out_value, let value = value(snapshot, key, length, pointer, pointerLength) else {
    return explainNoValue(snapshot, key, length, pointer, pointerLength, out_value, error)
  }
  out_value.pointee = remora_value(value)
  return succeed(error)
}

@inline(__always)
private func value(
  _ snapshot: OpaquePointer, _ key: UnsafePointer<CChar>, _ length: Int, _ pointer: UnsafePointer<CChar>?,
  _ pointerLength: Int
) -> Value? {
  guard let pointer, pointerLength != 0 else {
    return pointerLength == 0 ? reader(of: snapshot).value(of: key, length: length) : nil
  }
  return reader(of: snapshot).value(of: key, length: length, at: pointer, pointerLength: pointerLength)
}

@_cdecl("remora_snapshot_get_bool") @implementation
public func remora_snapshot_get_bool(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out_value: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  guard let snapshot, let key, let out_value, let value = reader(of: snapshot).bool(key, pointer) else {
    return explain(snapshot, key, pointer, out_value != nil, "out_value", "a boolean", error)
  }
  out_value.pointee = value ? 1 : 0
  return succeed(error)
}

@_cdecl("remora_snapshot_get_int") @implementation
public func remora_snapshot_get_int(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out_value: UnsafeMutablePointer<Int64>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  guard let snapshot, let key, let out_value, let number = reader(of: snapshot).int(key, pointer) else {
    return explain(snapshot, key, pointer, out_value != nil, "out_value", "representable as a 64-bit integer", error)
  }
  out_value.pointee = number
  return succeed(error)
}

@_cdecl("remora_snapshot_get_double") @implementation
public func remora_snapshot_get_double(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out_value: UnsafeMutablePointer<Double>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  guard let snapshot, let key, let out_value, let number = reader(of: snapshot).double(key, pointer) else {
    return explain(snapshot, key, pointer, out_value != nil, "out_value", "exactly representable as a double", error)
  }
  out_value.pointee = number
  return succeed(error)
}

@_cdecl("remora_snapshot_get_string") @implementation
public func remora_snapshot_get_string(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out_string: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ out_length: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  guard let snapshot, let key, let out_string, let string = reader(of: snapshot).string(key, pointer) else {
    return explain(snapshot, key, pointer, out_string != nil, "out_string", "a string", error)
  }
  out_string.pointee = string.cString
  out_length?.pointee = string.count
  return succeed(error)
}

@_cdecl("remora_snapshot_get_url") @implementation
public func remora_snapshot_get_url(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out_url: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ out_length: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  guard let snapshot, let key, let out_url, let url = reader(of: snapshot).url(key, pointer) else {
    return explain(snapshot, key, pointer, out_url != nil, "out_url", "a URL (an absolute URI)", error)
  }
  out_url.pointee = url.cString
  out_length?.pointee = url.count
  return succeed(error)
}

@inline(__always)
private func succeed(_ error: UnsafeMutablePointer<remora_error>?) -> Int32 {
  if let error { clear(error) }
  return REMORA_OK
}

/// Reports the reason `get` failed, the first one in the order of the arguments. Returns the status.
@inline(never)
private func explainNoValue(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ length: Int, _ pointer: UnsafePointer<CChar>?,
  _ pointerLength: Int, _ out_value: UnsafeMutablePointer<remora_value>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let snapshot = try require(snapshot, "snapshot")
    let start = try require(key, "key")
    guard pointer != nil || pointerLength == 0 else { throw .invalidArgument("pointer", "must not be NULL") }
    _ = try require(out_value, "out_value")
    try requireKeyLength(length)
    guard pointerLength >= 0 else {
      throw .invalidArgument("pointer", "is longer than any text can be")
    }
    let key = UnsafeRawBufferPointer(start: start, count: length)
    let pointer = UnsafeRawBufferPointer(start: pointer, count: pointerLength)
    let finding: Finding = pointer.isEmpty ? .absent : reader(of: snapshot).pointee.find(key, at: pointer)
    throw finding.failure(at: key, pointer, wanted: "a value")
  }
}

/// Reports the reason a typed read failed, the first one in the order of the arguments. Returns the status.
@inline(never)
private func explain(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?, _ hasOut: Bool,
  _ outName: StaticString, _ wanted: StaticString, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let snapshot = try require(snapshot, "snapshot")
    let key = try require(key, "key")
    guard hasOut else { throw .invalidArgument("\(outName)", "must not be NULL") }
    let finding = reader(of: snapshot).pointee.find(key, pointer)
    throw finding.failure(at: bytes(of: key), pointer.map(bytes), wanted: wanted)
  }
}
