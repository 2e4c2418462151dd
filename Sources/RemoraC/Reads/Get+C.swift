// SPDX-License-Identifier: Apache-2.0
//
// Section "get by key" of remora.h: reads on a source, safe while another thread publishes.

internal import CRemora
internal import Remora

/// Returns a pointer to the content of a source handle, whose getters are called in place, without a reference count.
@inline(__always)
private func handle(_ source: OpaquePointer) -> UnsafeMutablePointer<SourceHandle> {
  borrow(source, as: SourceHandle.self)
}

@_cdecl("remora_source_get_change_count") @implementation
public func remora_source_get_change_count(_ source: OpaquePointer?) -> Int64 {
  guard let source else { return 0 }
  return handle(source).pointee.getters.changeCount
}

@_cdecl("remora_get_bool") @implementation
public func remora_get_bool(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?, _ default_value: Int32
) -> Int32 {
  guard let source, let key else { return default_value }
  guard let value = handle(source).pointee.getters.bool(key, pointer) else { return default_value }
  return value ? 1 : 0
}

@_cdecl("remora_get_int") @implementation
public func remora_get_int(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?, _ default_value: Int64
) -> Int64 {
  guard let source, let key else { return default_value }
  return handle(source).pointee.getters.int(key, pointer) ?? default_value
}

@_cdecl("remora_get_double") @implementation
public func remora_get_double(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?, _ default_value: Double
) -> Double {
  guard let source, let key else { return default_value }
  return handle(source).pointee.getters.double(key, pointer) ?? default_value
}

@_cdecl("remora_get_string") @implementation
public func remora_get_string(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ default_value: UnsafePointer<CChar>?
) -> Int {
  copyText(to: buffer, size, default: default_value) { use in
    guard let source, let key else { return nil }
    return handle(source).pointee.getters.string(key, pointer, use)
  }
}

@_cdecl("remora_get_url") @implementation
public func remora_get_url(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ default_value: UnsafePointer<CChar>?
) -> Int {
  copyText(to: buffer, size, default: default_value) { use in
    guard let source, let key else { return nil }
    return handle(source).pointee.getters.url(key, pointer, use)
  }
}

@_cdecl("remora_get_json") @implementation
public func remora_get_json(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ default_value: UnsafePointer<CChar>?
) -> Int {
  copyText(to: buffer, size, default: default_value) { use in
    guard let source, let key else { return nil }
    return handle(source).pointee.getters.json(key, pointer, use)
  }
}
