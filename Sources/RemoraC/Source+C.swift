// SPDX-License-Identifier: Apache-2.0
//
// Section "sources" of remora.h.

public import CRemora
internal import Remora

/// What a source handle owns: the hot path first, so that reads touch no reference count.
struct SourceHandle {
  let cell: LiveCell
  let opened: OpenSource

  var source: Source { opened.source }
}

@_cdecl("remora_collection_options_init") @implementation
public func remora_collection_options_init(
  _ options: UnsafeMutablePointer<remora_collection_options>?, _ struct_size: Int
) {
  initialize(options, size: struct_size)
}

@_cdecl("remora_open_collection") @implementation
public func remora_open_collection(
  _ client: OpaquePointer?, _ options: UnsafePointer<remora_collection_options>?,
  _ out_source: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let options = try read(options, "options")
    let userData = UserData(options.on_event_user_data, options.on_event_free_user_data)
    let client = borrow(try require(client, "client"), as: Client.self).pointee
    let out = try require(out_source, "out_source")
    let subscriber = options.on_event.map { eventSink($0, userData) }
    let opened = try client.openCollection(collectionOptions(options), subscriber: subscriber)
    out.pointee = export(SourceHandle(cell: opened.source.cell, opened: opened))
  }
}

@_cdecl("remora_source_close") @implementation
public func remora_source_close(_ source: OpaquePointer?) {
  guard let source else { return }
  consume(source, as: SourceHandle.self).opened.close()
}

@_cdecl("remora_source_get_info") @implementation
public func remora_source_get_info(
  _ source: OpaquePointer?, _ out_info: UnsafeMutablePointer<remora_source_info>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let source = borrow(try require(source, "source"), as: SourceHandle.self).pointee.source
    let out = try require(out_info, "out_info")
    try write(sourceInfo(source.info()), to: out, "out_info")
  }
}

@_cdecl("remora_source_revision") @implementation
public func remora_source_revision(
  _ source: OpaquePointer?, _ out_revision: UnsafeMutablePointer<UnsafePointer<Int64>?>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let source = borrow(try require(source, "source"), as: SourceHandle.self).pointee.source
    let out = try require(out_revision, "out_revision")
    out.pointee = try source.revision()
  }
}

/// The core's options for a collection.
private func collectionOptions(_ options: remora_collection_options) throws(RemoraError) -> CollectionOptions {
  try requireZero(options.reserved, "reserved")
  guard options.trust == REMORA_TRUST_REQUIRED || options.trust == REMORA_TRUST_OFF else {
    throw .invalidArgument("trust", "is \(options.trust), which is neither REMORA_TRUST_REQUIRED nor REMORA_TRUST_OFF")
  }
  var result = CollectionOptions()
  result.collection = try require(try text(options.collection, "collection"), "collection")
  result.server = try text(options.server, "server")
  result.bucket = try text(options.bucket, "bucket")
  result.requiresSignature = options.trust == REMORA_TRUST_REQUIRED
  result.rootSHA256 = try text(options.root_sha256, "root_sha256")
  result.signer = try text(options.signer, "signer")
  result.trustedHosts = try texts(options.trusted_hosts, "trusted_hosts")
  let future = try duration(options.max_future_ms, default: CollectionDialect.defaultFutureMs, "max_future_ms")
  result.maximumFutureMs = future < 0 ? nil : future
  result.packaged = try packagedData(options)
  let interval = try duration(options.refresh_interval_ms, default: -1, "refresh_interval_ms")
  guard interval < 0 || interval >= RefreshSchedule.shortestMs else {
    throw .invalidArgument("refresh_interval_ms", "is \(interval); at least \(RefreshSchedule.shortestMs)")
  }
  result.refreshIntervalMs = interval < 0 ? nil : interval
  return result
}

private func packagedData(_ options: remora_collection_options) throws(RemoraError) -> PackagedData? {
  if let path = try text(options.packaged_file, "packaged_file") {
    guard options.packaged_data == nil else {
      throw .invalidArgument("packaged_data", "must be NULL when packaged_file is given")
    }
    return .file(path)
  }
  guard let data = options.packaged_data else {
    try requireZero(options.packaged_size, "packaged_size (packaged_data is NULL)")
    return nil
  }
  guard options.packaged_size > 0 else { throw .invalidArgument("packaged_size", "is 0") }
  return .bytes(Array(UnsafeRawBufferPointer(start: data, count: options.packaged_size)))
}

private func sourceInfo(_ info: SourceInfo) -> remora_source_info {
  remora_source_info(
    struct_size: 0, origin: info.origin.rawValue,
    filter_failures: Int32(clamping: info.filterFailures), version: info.version, fetched_at_ms: info.fetchedAtMs,
    age_ms: info.ageMs ?? -1, last_success_ms: info.lastSuccessMs, last_attempt_ms: info.lastAttemptMs,
    retry_after_ms: info.retryAfterMs, generation: info.generation, last_error: makeError(info.lastError),
    storage_error: makeError(info.storageError))
}
