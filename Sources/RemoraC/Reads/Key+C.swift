// SPDX-License-Identifier: Apache-2.0
//
// Section "bound keys" of remora.h.

public import CRemora
internal import Remora

/// The content of a key handle. It keeps the source handle, which the host may close before the key.
struct KeyHandle: ~Copyable {
  let bound: BoundKey
  let source: OwnedSourceHandle
}

@_cdecl("remora_key_bind") @implementation
public func remora_key_bind(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ out_key: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error, ofUnkept: source) { () throws(RemoraError) in
    let (source, key, out) = (try require(source, "source"), try require(key, "key"), try require(out_key, "out_key"))
    let owner = OwnedSourceHandle(source)
    out.pointee = export(KeyHandle(bound: try owner.core.bind(key, pointer), source: owner))
  }
}

@_cdecl("remora_key_release") @implementation
public func remora_key_release(_ key: OpaquePointer?) {
  if let key { _ = consume(key, as: KeyHandle.self) }
}

@_cdecl("remora_key_get_bool") @implementation
public func remora_key_get_bool(_ key: OpaquePointer?, _ default_value: Int32) -> Int32 {
  guard let key else { return default_value }
  if let value = borrow(key, as: KeyHandle.self).pointee.bound.cachedBool { return value ? 1 : 0 }
  return read(key, "a boolean") { $0.readBool() }.map { $0 ? 1 : 0 } ?? default_value
}

@_cdecl("remora_key_get_int") @implementation
public func remora_key_get_int(_ key: OpaquePointer?, _ default_value: Int64) -> Int64 {
  guard let key else { return default_value }
  if let value = borrow(key, as: KeyHandle.self).pointee.bound.cachedInt { return value }
  return read(key, "an integer") { $0.readInt() } ?? default_value
}

@_cdecl("remora_key_get_double") @implementation
public func remora_key_get_double(_ key: OpaquePointer?, _ default_value: Double) -> Double {
  guard let key else { return default_value }
  if let value = borrow(key, as: KeyHandle.self).pointee.bound.cachedDouble { return value }
  return read(key, "a number") { $0.readDouble() } ?? default_value
}

@_cdecl("remora_key_get_string") @implementation
public func remora_key_get_string(
  _ key: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int,
  _ default_value: UnsafePointer<CChar>?
) -> Int {
  copyText(to: buffer, size, default: default_value) { use in
    guard let key else { return nil }
    if let length = borrow(key, as: KeyHandle.self).pointee.bound.cachedString(use) { return length }
    return read(key, "a string") { $0.readString(use) }
  }
}

@_cdecl("remora_key_get_url") @implementation
public func remora_key_get_url(
  _ key: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int,
  _ default_value: UnsafePointer<CChar>?
) -> Int {
  copyText(to: buffer, size, default: default_value) { use in
    guard let key else { return nil }
    return read(key, "a URL") { $0.readURL(use) }
  }
}

@_cdecl("remora_key_get_json") @implementation
public func remora_key_get_json(
  _ key: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int,
  _ default_value: UnsafePointer<CChar>?
) -> Int {
  copyText(to: buffer, size, default: default_value) { use in
    guard let key else { return nil }
    return read(key, "JSON") { $0.readValue { try? withJSON(ofPresent: $0, use) } }
  }
}

@_cdecl("remora_key_get_change_count") @implementation
public func remora_key_get_change_count(_ key: OpaquePointer?) -> Int64 {
  guard let key else { return 0 }
  if let count = borrow(key, as: KeyHandle.self).pointee.bound.cachedChangeCount { return count }
  startPollingIfNeeded(key)
  return borrow(key, as: KeyHandle.self).pointee.bound.countChanges()
}

/// Reads the live snapshot. If `read` returns nil, logs that the caller's default is returned.
@inline(never)
private func read<Result>(
  _ key: OpaquePointer, _ wanted: StaticString, _ read: (borrowing BoundKey) -> Result?
) -> Result? {
  startPollingIfNeeded(key)
  let handle = borrow(key, as: KeyHandle.self)
  if let value = read(handle.pointee.bound) { return value }
  handle.pointee.source.core.noteFallback(handle.pointee.bound.key, handle.pointee.bound.pointer, wanted: wanted)
  return nil
}

/// Starts polling for updates by other processes if needed, as every read does.
private func startPollingIfNeeded(_ key: OpaquePointer) {
  let source = borrow(key, as: KeyHandle.self).pointee.source.core
  if source.cell.isNotPolling { source.startPollingIfNeeded() }
}
