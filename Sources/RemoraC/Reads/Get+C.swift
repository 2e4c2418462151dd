// SPDX-License-Identifier: Apache-2.0
//
// Section "get by key" of remora.h: reads on a source, safe while another thread publishes.

internal import CRemora
internal import Remora

/// Returns the live cell of a source for a read; starts polling for updates by other processes if needed.
@inline(__always)
private func readableCell(_ source: OpaquePointer) -> LiveCell {
  let handle = borrow(source, as: SourceHandle.self)
  if handle.pointee.cell.isNotPolling { handle.pointee.source.startPollingIfNeeded() }
  return handle.pointee.cell
}

/// Logs that a read returned the caller's default.
@inline(never)
private func noteFallback(
  _ source: OpaquePointer, _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ wanted: StaticString,
  _ problem: RemoraError? = nil
) {
  borrow(source, as: SourceHandle.self).pointee.source.noteFallback(key, pointer, wanted: wanted, problem)
}

@_cdecl("remora_source_get_change_count") @implementation
public func remora_source_get_change_count(_ source: OpaquePointer?) -> Int64 {
  guard let source else { return 0 }
  return readableCell(source).changeCount
}

@_cdecl("remora_get_bool") @implementation
public func remora_get_bool(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?, _ default_value: Int32
) -> Int32 {
  guard let source, let key else { return default_value }
  if let value = readableCell(source).bool(key, pointer) { return value ? 1 : 0 }
  noteFallback(source, key, pointer, "a boolean")
  return default_value
}

@_cdecl("remora_get_int") @implementation
public func remora_get_int(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?, _ default_value: Int64
) -> Int64 {
  guard let source, let key else { return default_value }
  if let value = readableCell(source).int(key, pointer) { return value }
  noteFallback(source, key, pointer, "an integer")
  return default_value
}

@_cdecl("remora_get_double") @implementation
public func remora_get_double(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?, _ default_value: Double
) -> Double {
  guard let source, let key else { return default_value }
  if let value = readableCell(source).double(key, pointer) { return value }
  noteFallback(source, key, pointer, "a number")
  return default_value
}

@_cdecl("remora_get_string") @implementation
public func remora_get_string(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ default_value: UnsafePointer<CChar>?
) -> Int {
  copyText(to: buffer, size, default: default_value) { use in
    guard let source, let key else { return nil }
    if let length = readableCell(source).string(key, pointer, { $0.map(use) }) { return length }
    noteFallback(source, key, pointer, "a string")
    return nil
  }
}

@_cdecl("remora_get_url") @implementation
public func remora_get_url(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ default_value: UnsafePointer<CChar>?
) -> Int {
  copyText(to: buffer, size, default: default_value) { use in
    guard let source, let key else { return nil }
    if let length = readableCell(source).url(key, pointer, { $0.map(use) }) { return length }
    noteFallback(source, key, pointer, "a URL")
    return nil
  }
}

@_cdecl("remora_get_json") @implementation
public func remora_get_json(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ default_value: UnsafePointer<CChar>?
) -> Int {
  copyText(to: buffer, size, default: default_value) { use in
    guard let source, let key else { return nil }
    var problem: RemoraError?
    let length = readableCell(source).value(key, pointer) { value -> Int? in
      do throws(RemoraError) {
        return try withJSON(ofPresent: value, use)
      } catch {
        problem = error
        return nil
      }
    }
    if let length { return length }
    noteFallback(source, key, pointer, "JSON", problem)
    return nil
  }
}
