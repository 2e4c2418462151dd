// SPDX-License-Identifier: Apache-2.0
//
// Section "sync" of remora.h.

public import CRemora
internal import Remora

@_cdecl("remora_sync") @implementation
public func remora_sync(
  _ client: OpaquePointer?, _ options: UnsafePointer<remora_refresh_options>?, _ timeout_ms: Int64,
  _ callback: remora_sync_callback?, _ user_data: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let client = borrow(try require(client, "client"), as: Client.self).pointee
    let how = try manner(of: options)
    try requireTimeout(timeout_ms)
    let report = try client.sync(how, timeoutMs: timeout_ms)
    var isExiting = false
    if let callback {
      withReport(report) { report in isExiting = HostCalling.call { callback(report, user_data) } == nil }
    }
    if isExiting { throw .exiting }
    if let failure = report.error { throw failure }
  }
}

@_cdecl("remora_sync_async") @implementation
public func remora_sync_async(
  _ client: OpaquePointer?, _ options: UnsafePointer<remora_refresh_options>?, _ timeout_ms: Int64,
  _ callback: remora_sync_callback?, _ user_data: UnsafeMutableRawPointer?,
  _ free_user_data: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
  _ out_request: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  let userData = UserData(user_data, free_user_data)
  return boundary(error) { () throws(RemoraError) in
    let client = borrow(try require(client, "client"), as: Client.self).pointee
    let how = try manner(of: options)
    try requireTimeout(timeout_ms)
    let sync = try client.syncAsync(how, timeoutMs: timeout_ms) { report in
      guard let callback else { return _ = userData }
      withReport(report) { report in HostCalling.call { callback(report, userData.pointer) } }
    }
    out_request?.pointee = export(RequestHandle { sync.cancel() })
  }
}

/// Calls `body` with a report as the header's structure, which is valid during the call.
private func withReport(_ report: SyncReport, _ body: (UnsafePointer<remora_sync_report>) -> Void) {
  let texts = report.items.map { [$0.source.name, $0.source.server].map(copy) }
  let errors = UnsafeMutableBufferPointer<remora_error>.allocate(capacity: report.items.count)
  defer {
    for text in texts.joined() { text.deallocate() }
    errors.deallocate()
  }
  let items = report.items.enumerated().map { index, item in
    errors.initializeElement(at: index, to: makeError(item.result.error, of: item.source.name))
    return remora_sync_item(
      struct_size: MemoryLayout<remora_sync_item>.size, source_name: texts[index][0], server: texts[index][1],
      kind: item.source.kind.rawValue,
      outcome: item.result.outcome.rawValue,
      error: item.result.error.flatMap { _ in errors.baseAddress.map { $0 + index } })
  }
  withError(report.error, of: nil) { summary in
    withPointers(to: items) { items in
      var report = remora_sync_report(
        struct_size: MemoryLayout<remora_sync_report>.size, items: items.baseAddress,
        item_count: items.count, updated: report.updated, unchanged: report.unchanged, staged: report.staged,
        failed: report.failed, error: summary)
      body(&report)
    }
  }
}

/// Returns a NUL-terminated copy, which the caller deallocates.
private func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
  let count = text.utf8.count
  let copy = UnsafeMutablePointer<CChar>.allocate(capacity: count + 1)
  _ = text.withBytes { copyText($0, to: UnsafeMutableRawBufferPointer(start: copy, count: count + 1)) }
  return copy
}
