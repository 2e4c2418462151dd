// SPDX-License-Identifier: Apache-2.0
//
// Section "sources" of remora.h: collections.

public import CRemora
internal import Remora

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

/// Converts the options of a collection to the core's, except for the options of its opening.
func collectionOptions(_ options: remora_collection_options) throws(RemoraError) -> CollectionOptions {
  var result = CollectionOptions()
  try result.setTrust(option: options.trust)
  result.collection = try require(try text(options.name, "name"), "name")
  result.server = try text(options.server, "server")
  result.bucket = try text(options.bucket, "bucket")
  result.rootSHA256 = try text(options.root_sha256, "root_sha256")
  result.previousRoots = try texts(options.previous_roots, "previous_roots")
  result.signer = try text(options.signer, "signer")
  result.trustedHosts = try texts(options.trusted_hosts, "trusted_hosts")
  let future = try duration(options.max_future_ms, default: CollectionDialect.defaultFutureMs, "max_future_ms")
  result.maximumFutureMs = future < 0 ? nil : future
  result.packaged = try packagedData(options.packaged_file, options.packaged_data, options.packaged_size)
  result.packagedAttachments = try text(options.packaged_attachments, "packaged_attachments")
  if let mode = try ActivationMode(option: options.activation) { result.activation = mode }
  return result
}
