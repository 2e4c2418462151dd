// SPDX-License-Identifier: Apache-2.0
//
// Section "bound keys" of remora.h.

public import CRemora
internal import Remora

@_cdecl("remora_key_bind") @implementation
public func remora_key_bind(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out_key: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error, ofUnkept: source) { () throws(RemoraError) in
    let (source, key, out) = (try requireSource(source), try require(key, "key"), try require(out_key, "out_key"))
    out.pointee = export(try source.bind(key, pointer))
  }
}

@_cdecl("remora_key_release") @implementation
public func remora_key_release(_ key: OpaquePointer?) {
  guard let key else { return }
  ForkGate.inside { _ = consume(key, as: BoundKey.self) }
}

@_cdecl("remora_key_get_bool") @implementation
public func remora_key_get_bool(_ key: OpaquePointer?, _ default_value: Int32) -> Int32 {
  guard let key else { return default_value }
  guard let value = borrow(key, as: BoundKey.self).pointee.bool() else { return default_value }
  return value ? 1 : 0
}

@_cdecl("remora_key_get_int") @implementation
public func remora_key_get_int(_ key: OpaquePointer?, _ default_value: Int64) -> Int64 {
  guard let key else { return default_value }
  return borrow(key, as: BoundKey.self).pointee.int() ?? default_value
}

@_cdecl("remora_key_get_double") @implementation
public func remora_key_get_double(_ key: OpaquePointer?, _ default_value: Double) -> Double {
  guard let key else { return default_value }
  return borrow(key, as: BoundKey.self).pointee.double() ?? default_value
}

@_cdecl("remora_key_get_string") @implementation
public func remora_key_get_string(
  _ key: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int,
  _ default_value: UnsafePointer<CChar>?
) -> Int {
  copyText(to: buffer, size, default: default_value) { use in
    guard let key else { return nil }
    return borrow(key, as: BoundKey.self).pointee.string(use)
  }
}

@_cdecl("remora_key_get_url") @implementation
public func remora_key_get_url(
  _ key: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int,
  _ default_value: UnsafePointer<CChar>?
) -> Int {
  copyText(to: buffer, size, default: default_value) { use in
    guard let key else { return nil }
    return borrow(key, as: BoundKey.self).pointee.url(use)
  }
}

@_cdecl("remora_key_get_json") @implementation
public func remora_key_get_json(
  _ key: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int,
  _ default_value: UnsafePointer<CChar>?
) -> Int {
  copyText(to: buffer, size, default: default_value) { use in
    guard let key else { return nil }
    return borrow(key, as: BoundKey.self).pointee.json(use)
  }
}

@_cdecl("remora_key_get_change_count") @implementation
public func remora_key_get_change_count(_ key: OpaquePointer?) -> Int64 {
  guard let key else { return 0 }
  return borrow(key, as: BoundKey.self).pointee.changeCount
}
