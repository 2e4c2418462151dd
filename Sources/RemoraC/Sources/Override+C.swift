// SPDX-License-Identifier: Apache-2.0
//
// Section "overrides" of remora.h.

public import CRemora
internal import Remora

@_cdecl("remora_override_set") @implementation
public func remora_override_set(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ json: UnsafePointer<CChar>?, _ flags: UInt32, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  set(source, key, pointer, flags, error) { (key, pointer) throws(RemoraError) in
    try Override(key: key, pointer: pointer, json: Array(bytes(of: require(json, "json"))))
  }
}

@_cdecl("remora_override_set_bool") @implementation
public func remora_override_set_bool(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?, _ value: Int32,
  _ flags: UInt32, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  set(source, key, pointer, flags, error) { (key, pointer) throws(RemoraError) in
    try Override(key: key, pointer: pointer, .bool(flag(value, "value")))
  }
}

@_cdecl("remora_override_set_int") @implementation
public func remora_override_set_int(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?, _ value: Int64,
  _ flags: UInt32, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  set(source, key, pointer, flags, error) { (key, pointer) throws(RemoraError) in
    try Override(key: key, pointer: pointer, .int(value))
  }
}

@_cdecl("remora_override_set_double") @implementation
public func remora_override_set_double(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?, _ value: Double,
  _ flags: UInt32, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  set(source, key, pointer, flags, error) { (key, pointer) throws(RemoraError) in
    try Override(key: key, pointer: pointer, .double(value))
  }
}

@_cdecl("remora_override_set_string") @implementation
public func remora_override_set_string(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ value: UnsafePointer<CChar>?, _ flags: UInt32, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  set(source, key, pointer, flags, error) { (key, pointer) throws(RemoraError) in
    try Override(key: key, pointer: pointer, .string(require(text(value, "value"), "value")))
  }
}

/// Sets an override, which `make` creates from the key and the pointer.
private func set(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?, _ flags: UInt32,
  _ error: UnsafeMutablePointer<remora_error>?, _ make: ([UInt8], [UInt8]) throws(RemoraError) -> Override
) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let override = try make(keyBytes(key), pointerBytes(pointer))
    try source.set(override, ifExists: hasFlag(REMORA_OVERRIDE_IF_EXISTS, in: flags))
  }
}

@_cdecl("remora_override_clear") @implementation
public func remora_override_clear(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    try source.clearOverride(try keyBytes(key), try pointerBytes(pointer))
  }
}

@_cdecl("remora_override_clear_all") @implementation
public func remora_override_clear_all(
  _ source: OpaquePointer?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    try requireSource(source).clearOverrides()
  }
}

@_cdecl("remora_override_foreach") @implementation
public func remora_override_foreach(
  _ source: OpaquePointer?, _ visitor: remora_override_visitor?, _ user_data: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let visitor = try require(visitor, "visitor")
    var visits = Visits()
    for override in try source.overrides().all where !visit(override, visitor, user_data, &visits) { break }
    try visits.end()
  }
}

/// Calls the visitor with an override. Returns whether to continue.
private func visit(
  _ override: Override, _ visitor: remora_override_visitor, _ userData: UnsafeMutableRawPointer?,
  _ visits: inout Visits
) -> Bool {
  (override.key + [0]).withUnsafeBytes { key in
    (override.pointer + [0]).withUnsafeBytes { pointer in
      (override.json + [0]).withUnsafeBytes { json in
        var entry = remora_override(
          struct_size: MemoryLayout<remora_override>.size, key: key.cString, key_length: key.count - 1,
          pointer: pointer.cString, pointer_length: pointer.count - 1,
          json: json.cString, json_length: json.count - 1)
        return visits.visit { visitor(&entry, userData) }
      }
    }
  }
}

/// Returns a copy of the bytes of a pointer that will be stored; empty for NULL.
func pointerBytes(_ pointer: UnsafePointer<CChar>?) throws(RemoraError) -> [UInt8] {
  try text(pointer, "pointer").map { Array($0.utf8) } ?? []
}
