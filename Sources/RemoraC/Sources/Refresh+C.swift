// SPDX-License-Identifier: Apache-2.0
//
// Section "refresh" of remora.h.

public import CRemora
internal import Remora

/// The content of a request handle: the function that cancels the asynchronous call.
struct RequestHandle {
  let cancel: () -> Void
}

@_cdecl("remora_refresh") @implementation
public func remora_refresh(
  _ source: OpaquePointer?, _ options: UnsafePointer<remora_refresh_options>?, _ timeout_ms: Int64,
  _ out_outcome: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let how = try manner(of: options)
    try requireTimeout(timeout_ms)
    let result = source.refresh(how, timeoutMs: timeout_ms)
    if let failure = result.error { throw failure }
    out_outcome?.pointee = result.outcome.rawValue
  }
}

@_cdecl("remora_refresh_async") @implementation
public func remora_refresh_async(
  _ source: OpaquePointer?, _ options: UnsafePointer<remora_refresh_options>?, _ timeout_ms: Int64,
  _ callback: remora_result_callback?, _ user_data: UnsafeMutableRawPointer?,
  _ free_user_data: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
  _ out_request: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  let userData = UserData(user_data, free_user_data)
  return startCall(of: source, callback, userData, out_request, error) { opened, completion throws(RemoraError) in
    let how = try manner(of: options)
    try requireTimeout(timeout_ms)
    let waiter = try opened.source.refreshAsync(how, timeoutMs: timeout_ms, on: completion.handle) { result in
      completion(CompletedCall(error: result.error, outcome: result.outcome))
    }
    return { opened.source.cancel(waiter) }
  }
}

@_cdecl("remora_request_cancel") @implementation
public func remora_request_cancel(_ request: OpaquePointer?) {
  guard let request else { return }
  ForkGate.inside { borrow(request, as: RequestHandle.self).pointee.cancel() }
}

@_cdecl("remora_request_release") @implementation
public func remora_request_release(_ request: OpaquePointer?) {
  guard let request else { return }
  ForkGate.inside { _ = consume(request, as: RequestHandle.self) }
}

@_cdecl("remora_reset") @implementation
public func remora_reset(_ source: OpaquePointer?, _ error: UnsafeMutablePointer<remora_error>?) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    try requireSource(source).reset()
  }
}

/// Converts the options of a refresh, await or sync to the core's.
func manner(of options: UnsafePointer<remora_refresh_options>?) throws(RemoraError) -> RefreshManner {
  let options = try readOptions(options)
  return try RefreshManner(
    isForced: flag(options.force, "force"), isOnlyIfEmpty: flag(options.only_if_empty, "only_if_empty"),
    expected: options.expected_version)
}
