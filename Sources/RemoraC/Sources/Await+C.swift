// SPDX-License-Identifier: Apache-2.0
//
// Section "refresh" of remora.h: waiting for a fresh snapshot.

public import CRemora
internal import Remora

@_cdecl("remora_await") @implementation
public func remora_await(
  _ source: OpaquePointer?, _ options: UnsafePointer<remora_refresh_options>?, _ timeout_ms: Int64,
  _ out_snapshot: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  out_snapshot?.pointee = nil
  return boundary(error, of: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let out = try require(out_snapshot, "out_snapshot")
    let isOnlyIfEmpty = try isOnlyIfEmpty(options, timeout_ms)
    let result = source.awaitFresh(onlyIfEmpty: isOnlyIfEmpty, timeoutMs: timeout_ms)
    out.pointee = result.snapshot.map(exportSnapshot)
    if let failure = result.error { throw failure }
  }
}

@_cdecl("remora_await_async") @implementation
public func remora_await_async(
  _ source: OpaquePointer?, _ options: UnsafePointer<remora_refresh_options>?, _ timeout_ms: Int64,
  _ callback: remora_result_callback?, _ user_data: UnsafeMutableRawPointer?,
  _ free_user_data: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
  _ out_request: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  let userData = UserData(user_data, free_user_data)
  return startCall(of: source, callback, userData, out_request, error) { opened, completion throws(RemoraError) in
    let waiter = try opened.source.awaitFreshAsync(
      onlyIfEmpty: isOnlyIfEmpty(options, timeout_ms), timeoutMs: timeout_ms, on: opened.id
    ) { result in
      completion(CompletedCall(error: result.error, snapshot: result.snapshot))
    }
    return { opened.source.cancel(waiter) }
  }
}

/// Checks the arguments of remora_await and remora_await_async. Returns whether a request is sent only if the source is
/// empty.
private func isOnlyIfEmpty(
  _ options: UnsafePointer<remora_refresh_options>?, _ timeoutMs: Int64
) throws(RemoraError) -> Bool {
  let options = try readOptions(options)
  try requireZero(options.force, "force (an option of remora_refresh)")
  try requireZero(options.expected_version, "expected_version (an option of remora_refresh and remora_sync)")
  try requireTimeout(timeoutMs)
  return try flag(options.only_if_empty, "only_if_empty")
}
