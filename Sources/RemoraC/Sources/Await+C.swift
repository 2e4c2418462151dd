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
  boundary(error, of: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let how = try manner(of: options)
    try requireTimeout(timeout_ms)
    let snapshot = try source.awaitFresh(how, timeoutMs: timeout_ms)
    out_snapshot?.pointee = exportSnapshot(snapshot)
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
    let how = try manner(of: options)
    try requireTimeout(timeout_ms)
    let waiter = try opened.source.awaitFreshAsync(how, timeoutMs: timeout_ms, on: completion.handle) { result in
      switch result {
      case .success(let snapshot): completion(CompletedCall(snapshot: snapshot))
      case .failure(let error): completion(CompletedCall(error: error))
      }
    }
    return { opened.source.cancel(waiter) }
  }
}
