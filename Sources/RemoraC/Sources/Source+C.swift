// SPDX-License-Identifier: Apache-2.0
//
// Section "sources" of remora.h.

public import CRemora
internal import Remora

/// Opens a source of any kind with `open`, and exports its handle. Converts the options that all kinds share.
func openSource(
  _ client: OpaquePointer?, _ options: UnsafePointer<remora_source_options>?,
  _ out_source: UnsafeMutablePointer<OpaquePointer?>?,
  _ open: (Client, OpeningOptions, FirstSubscriber?) throws(RemoraError) -> OpenSource
) throws(RemoraError) {
  let known = knownFields(of: options)
  let userData = UserData(known.on_event_user_data, known.on_event_free_user_data)
  let options = try readOptions(options)
  let client = borrow(try require(client, "client"), as: Client.self).pointee
  let out = try require(out_source, "out_source")
  var made: OpaquePointer?
  let opened = try open(
    client, openingOptions(options),
    options.on_event.map { callback in
      { opened in
        let handle = SourceHandle.make(opened)
        made = handle
        return eventSink(callback, userData, of: OwnedSourceHandle(handle))
      }
    })
  out.pointee = made ?? SourceHandle.make(opened)
}

@_cdecl("remora_source_close") @implementation
public func remora_source_close(_ source: OpaquePointer?) {
  guard let source else { return }
  // The memory is released last, because a callback that `close` waits for may be using it.
  ForkGate.inside {
    borrow(source, as: SourceHandle.self).pointee.opened.close()
    release(source, as: SourceHandle.self)
  }
}

@_cdecl("remora_source_get_info") @implementation
public func remora_source_get_info(
  _ source: OpaquePointer?, _ out_info: UnsafeMutablePointer<remora_source_info>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    let handle = borrow(try require(source, "source"), as: SourceHandle.self)
    let out = try require(out_info, "out_info")
    let info = try sourceInfo(of: handle.pointee.source, handle.pointee.name, handle.pointee.server)
    try write(info, to: out, "out_info")
  }
}

@_cdecl("remora_source_foreach") @implementation
public func remora_source_foreach(
  _ client: OpaquePointer?, _ visitor: remora_source_visitor?, _ user_data: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let client = borrow(try require(client, "client"), as: Client.self).pointee
    let visitor = try require(visitor, "visitor")
    var visits = Visits()
    for source in try client.sources() {
      let goesOn = source.label.name.withCString { name in
        source.label.server.withCString { server in
          // Skips a source that was closed in the meantime.
          guard var info = try? sourceInfo(of: source, name, server) else { return true }
          info.struct_size = MemoryLayout<remora_source_info>.size
          return visits.visit { visitor(&info, user_data) }
        }
      }
      if !goesOn { break }
    }
    try visits.end()
  }
}

@_cdecl("remora_source_get_revision") @implementation
public func remora_source_get_revision(
  _ source: OpaquePointer?, _ out_revision: UnsafeMutablePointer<UnsafePointer<Int64>?>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error, ofUnkept: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let out = try require(out_revision, "out_revision")
    out.pointee = try source.revision()
  }
}

/// Converts the options that sources of all kinds share to the core's options of an opening.
private func openingOptions(_ options: remora_source_options) throws(RemoraError) -> OpeningOptions {
  var result = OpeningOptions()
  result.firstFetch = try FirstFetch(option: options.first_fetch)
  let interval = try duration(options.refresh_interval_ms, default: -1, "refresh_interval_ms")
  try result.setRefreshInterval(ms: interval < 0 ? nil : interval)
  result.persistsOverrides = try flag(options.persist_overrides, "persist_overrides")
  try result.shape.set(leastKeys: options.min_keys, percent: options.min_keys_percent)
  if let schema = try text(options.schema, "schema") { result.shape.schema = try Schema(json: Array(schema.utf8)) }
  return result
}

func packagedData(
  _ file: UnsafePointer<CChar>?, _ bytes: UnsafeRawPointer?, _ size: Int
) throws(RemoraError) -> PackagedData? {
  try PackagedData(file: text(file, "packaged_file"), borrowing: bytes, size: UInt(bitPattern: size))
}

/// Returns the state of a source as the header's structure.
private func sourceInfo(
  of source: Source, _ name: UnsafePointer<CChar>?, _ server: UnsafePointer<CChar>?
) throws(RemoraError) -> remora_source_info {
  let (known, label) = (try source.info(), source.label)
  var info = remora_source_info()
  info.name = name
  info.server = server
  info.kind = label.kind.rawValue
  info.origin = known.origin.rawValue
  info.has_staged = known.hasStaged ? 1 : 0
  info.filter_failures = Int32(clamping: known.filterFailures)
  info.version = known.version
  info.fetched_at_ms = known.fetchedAtMs
  info.checked_at_ms = known.checkedAtMs
  info.checked_age_ms = known.checkedAgeMs ?? -1
  info.attempted_at_ms = known.attemptedAtMs
  info.retry_after_ms = known.retryAfterMs
  info.generation = known.generation
  info.last_error = makeError(known.lastError, of: label.name)
  info.storage_error = makeError(known.storageError, of: label.name)
  info.freshness = known.freshness.rawValue
  info.rejected_version = known.rejectedVersion ?? 0
  return info
}
