// SPDX-License-Identifier: Apache-2.0
//
// Section "sources" of remora.h.

public import CRemora
internal import Glibc
internal import Remora

/// The content of a source handle. The first member is the live cell, so that reads touch no reference count. A handle
/// is owned by the host, until the host closes it, and by each `OwnedSourceHandle`. A subscription, for example, has
/// one, because its events contain the handle.
struct SourceHandle: ~Copyable {
  let cell: LiveCell
  let opened: OpenSource
  /// The name and the server as C strings; NULL if memory has run out.
  let name: UnsafeMutablePointer<CChar>?
  let server: UnsafeMutablePointer<CChar>?

  init(_ opened: OpenSource) {
    self.opened = opened
    cell = opened.source.cell
    name = strdup(opened.source.label.name)
    server = strdup(opened.source.label.server)
  }

  deinit {
    free(name)
    free(server)
  }

  var source: Source { opened.source }

  /// Creates a handle that the host owns.
  static func make(_ opened: OpenSource) -> OpaquePointer { exportShared(SourceHandle(opened)) }
}

/// An owner of a source handle, such as the subscription that was made with it. The handle outlives a close inside the
/// callback.
///
/// `@unchecked Sendable`: the address is constant, and this object is an owner of the memory.
final class OwnedSourceHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    retain(pointer, as: SourceHandle.self)
  }

  deinit { release(pointer, as: SourceHandle.self) }

  /// The source of the handle.
  var core: Source {
    let handle = borrow(pointer, as: SourceHandle.self)
    return handle.pointee.source
  }

  var label: SourceLabel { core.label }
}

@_cdecl("remora_open_collection") @implementation
public func remora_open_collection(
  _ client: OpaquePointer?, _ collection: UnsafePointer<remora_collection_options>?,
  _ options: UnsafePointer<remora_source_options>?, _ out_source: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    try openSource(client, options, out_source) { (client, opening, first) throws(RemoraError) in
      var collection = try collectionOptions(read(collection, "collection"))
      collection.opening = opening
      return try client.openCollection(collection, first: first)
    }
  }
}

/// Opens a source of any kind with `open`, and exports its handle. Converts the options that all kinds share.
func openSource(
  _ client: OpaquePointer?, _ options: UnsafePointer<remora_source_options>?,
  _ out_source: UnsafeMutablePointer<OpaquePointer?>?,
  _ open: (Client, OpeningOptions, FirstSubscriber?) throws(RemoraError) -> OpenSource
) throws(RemoraError) {
  let options = try readOptions(options)
  let (onEvent, userData) = (options.on_event, UserData(options.on_event_user_data, options.on_event_free_user_data))
  let client = borrow(try require(client, "client"), as: Client.self).pointee
  let out = try require(out_source, "out_source")
  var made: OpaquePointer?
  let opened = try open(
    client, openingOptions(options),
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
    for source in try client.sources() {
      let isLast = source.label.name.withCString { name in
        source.label.server.withCString { server in
          // Skips a source that was closed in the meantime.
          guard var info = try? sourceInfo(of: source, name, server) else { return false }
          info.struct_size = MemoryLayout<remora_source_info>.size
          return ForkGate.outside { visitor(&info, user_data) } != 0
        }
      }
      if isLast { return }
    }
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

/// Converts the options of a collection to the core's, except for the options of its opening.
func collectionOptions(_ options: remora_collection_options) throws(RemoraError) -> CollectionOptions {
  guard options.trust == REMORA_TRUST_REQUIRED || options.trust == REMORA_TRUST_OFF else {
    throw .invalidArgument("trust", "is \(options.trust), which is neither REMORA_TRUST_REQUIRED nor REMORA_TRUST_OFF")
  }
  var result = CollectionOptions()
  result.collection = try require(try text(options.name, "name"), "name")
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
  if let mode = try activation(options.activation) { result.activation = mode }
  return result
}

/// Converts the options that sources of all kinds share to the core's options of an opening.
private func openingOptions(_ options: remora_source_options) throws(RemoraError) -> OpeningOptions {
  guard let firstFetch = FirstFetch(rawValue: options.first_fetch) else {
    throw .invalidArgument("first_fetch", "is \(options.first_fetch), which is not a REMORA_FIRST_FETCH_ value")
  }
  var result = OpeningOptions()
  result.firstFetch = firstFetch
  let interval = try duration(options.refresh_interval_ms, default: -1, "refresh_interval_ms")
  try result.setRefreshInterval(ms: interval < 0 ? nil : interval)
  result.persistsOverrides = try flag(options.persist_overrides, "persist_overrides")
  return result
}

/// Returns the packaged data of a source's options, which must not be used after the call of the host; nil if there is
/// none.
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
    try requireZero(size, "packaged_size (without packaged_data)")
    return nil
  }
  guard size > 0 else { throw .invalidArgument("packaged_size", "is 0") }
  return .borrowed(BorrowedBytes(UnsafeRawBufferPointer(start: bytes, count: size)))
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
  info.has_staged = known.isPending ? 1 : 0
  info.filter_failures = Int32(clamping: known.filterFailures)
  info.version = known.version
  info.fetched_at_ms = known.fetchedAtMs
  info.checked_at_ms = known.lastSuccessMs
  info.checked_age_ms = known.ageMs ?? -1
  info.attempted_at_ms = known.lastAttemptMs
  info.retry_after_ms = known.retryAfterMs
  info.generation = known.generation
  info.last_error = makeError(known.lastError, of: label.name)
  info.storage_error = makeError(known.storageError, of: label.name)
  return info
}
