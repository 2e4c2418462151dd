// SPDX-License-Identifier: Apache-2.0
//
// Section "sources" of remora.h.

public import CRemora
internal import Remora

/// What a source handle owns: the hot path first, so that reads touch no reference count. Its owners are the host, until
/// it closes the handle, and the subscriptions whose events carry it.
struct SourceHandle: ~Copyable {
  let cell: LiveCell
  let opened: OpenSource

  var source: Source { opened.source }

  /// Makes a handle that the host owns.
  static func make(_ opened: OpenSource) -> OpaquePointer {
    exportShared(SourceHandle(cell: opened.source.cell, opened: opened))
  }
}

/// A subscription's ownership of the handle that subscribed: the handle outlives a close inside the callback.
///
/// `@unchecked Sendable`: a constant address of memory that is owned.
final class OwnedSourceHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    retain(pointer, as: SourceHandle.self)
  }

  deinit { release(pointer, as: SourceHandle.self) }

  /// What the source is called.
  var label: SourceLabel {
    let handle = borrow(pointer, as: SourceHandle.self)
    return handle.pointee.source.label
  }
}

@_cdecl("remora_open_collection") @implementation
public func remora_open_collection(
  _ client: OpaquePointer?, _ options: UnsafePointer<remora_collection_options>?,
  _ out_source: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let options = try read(options, "options")
    let userData = UserData(options.on_event_user_data, options.on_event_free_user_data)
    try openSource(client, options.on_event, userData, out_source) { (client, first) throws(RemoraError) in
      try client.openCollection(collectionOptions(options), first: first)
    }
  }
}

/// What opening is for every kind of source.
func openSource(
  _ client: OpaquePointer?, _ onEvent: remora_event_callback?, _ userData: UserData,
  _ out_source: UnsafeMutablePointer<OpaquePointer?>?,
  _ open: (Client, FirstSubscriber?) throws(RemoraError) -> OpenSource
) throws(RemoraError) {
  let client = borrow(try require(client, "client"), as: Client.self).pointee
  let out = try require(out_source, "out_source")
  var made: OpaquePointer?
  let opened = try open(
    client,
    onEvent.map { callback in
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
  // The memory goes last: a callback that is waited for may be using it.
  borrow(source, as: SourceHandle.self).pointee.opened.close()
  release(source, as: SourceHandle.self)
}

@_cdecl("remora_source_get_info") @implementation
public func remora_source_get_info(
  _ source: OpaquePointer?, _ out_info: UnsafeMutablePointer<remora_source_info>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let out = try require(out_info, "out_info")
    try write(sourceInfo(source.info(), of: source.label.name), to: out, "out_info")
  }
}

@_cdecl("remora_source_get_revision") @implementation
public func remora_source_get_revision(
  _ source: OpaquePointer?, _ out_revision: UnsafeMutablePointer<UnsafePointer<Int64>?>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error, ofUnkept: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let out = try require(out_revision, "out_revision")
    out.pointee = try source.revision()
  }
}

/// The core's options for a collection.
func collectionOptions(_ options: remora_collection_options) throws(RemoraError) -> CollectionOptions {
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
  result.previousRoots = try texts(options.previous_roots, "previous_roots")
  result.signer = try text(options.signer, "signer")
  result.trustedHosts = try texts(options.trusted_hosts, "trusted_hosts")
  let future = try duration(options.max_future_ms, default: CollectionDialect.defaultFutureMs, "max_future_ms")
  result.maximumFutureMs = future < 0 ? nil : future
  result.packaged = try packagedData(options.packaged_file, options.packaged_data, options.packaged_size)
  result.packagedAttachments = try text(options.packaged_attachments, "packaged_attachments")
  result.refreshIntervalMs = try refreshInterval(options.refresh_interval_ms)
  result.persistsOverrides = try flag(options.persist_overrides, "persist_overrides")
  try requireZero(options.reserved2, "reserved2")
  result.activation = try activation(options.activation, default: .immediate)
  try requireZero(options.reserved3, "reserved3")
  return result
}

/// The interval of a source's options; nil is never.
func refreshInterval(_ field: Int64) throws(RemoraError) -> Int64? {
  let interval = try duration(field, default: -1, "refresh_interval_ms")
  guard interval < 0 || interval >= RefreshSchedule.shortestMs else {
    throw .invalidArgument("refresh_interval_ms", "is \(interval); at least \(RefreshSchedule.shortestMs)")
  }
  return interval < 0 ? nil : interval
}

/// Whether opening begins a refresh.
func fetchAtOpen(_ field: Int32) throws(RemoraError) -> Bool {
  guard field == 0 || field == -1 else { throw .invalidArgument("fetch_at_open", "must be 0 or -1") }
  return field == 0
}

/// The packaged data of a source's options, if there is any.
func packagedData(
  _ file: UnsafePointer<CChar>?, _ bytes: UnsafeRawPointer?, _ size: Int
) throws(RemoraError) -> PackagedData? {
  if let path = try text(file, "packaged_file") {
    guard bytes == nil else {
      throw .invalidArgument("packaged_data", "must be NULL when packaged_file is given")
    }
    return .file(path)
  }
  guard let bytes else {
    try requireZero(size, "packaged_size (packaged_data is NULL)")
    return nil
  }
  guard size > 0 else { throw .invalidArgument("packaged_size", "is 0") }
  return .bytes(Array(UnsafeRawBufferPointer(start: bytes, count: size)))
}

private func sourceInfo(_ info: SourceInfo, of source: String) -> remora_source_info {
  remora_source_info(
    struct_size: 0, origin: info.origin.rawValue,
    filter_failures: Int32(clamping: info.filterFailures), version: info.version, fetched_at_ms: info.fetchedAtMs,
    age_ms: info.ageMs ?? -1, last_success_ms: info.lastSuccessMs, last_attempt_ms: info.lastAttemptMs,
    retry_after_ms: info.retryAfterMs, generation: info.generation, last_error: makeError(info.lastError, of: source),
    storage_error: makeError(info.storageError, of: source), pending: info.isPending ? 1 : 0, reserved: 0)
}
