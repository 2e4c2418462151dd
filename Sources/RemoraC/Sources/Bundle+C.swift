// SPDX-License-Identifier: Apache-2.0
//
// Section "bundles" of remora.h.

public import CRemora
internal import Remora

@_cdecl("remora_open_bundle") @implementation
public func remora_open_bundle(
  _ client: OpaquePointer?, _ bundle: UnsafePointer<remora_bundle_options>?,
  _ options: UnsafePointer<remora_source_options>?, _ out_source: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    try openSource(client, options, out_source) { (client, opening, first) throws(RemoraError) in
      var bundle = try bundleOptions(read(bundle, "bundle"))
      bundle.opening = opening
      return try client.openBundle(bundle, first: first)
    }
  }
}

@_cdecl("remora_namespace_foreach") @implementation
public func remora_namespace_foreach(
  _ source: OpaquePointer?, _ snapshot: OpaquePointer?, _ visitor: remora_namespace_visitor?,
  _ user_data: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let visitor = try require(visitor, "visitor")
    let given = snapshot.map { borrow($0, as: SnapshotHandle.self).pointee.snapshot }
    let (snapshot, namespaces) = try source.namespaces(of: given)
    defer { withExtendedLifetime(snapshot) {} }
    var visits = Visits()
    for namespace in namespaces {
      var entry = remora_namespace(
        struct_size: MemoryLayout<remora_namespace>.size, name: namespace.entry.key.cString,
        name_length: namespace.entry.key.count,
        in_bundle: namespace.isOfDocument ? 1 : 0, is_default: namespace.isDefault ? 1 : 0,
        origin: namespace.origin.rawValue, has_override: namespace.origin == .override ? 1 : 0)
      if !visits.visit({ visitor(&entry, user_data) }) { break }
    }
    try visits.end()
  }
}

/// Converts the options of a bundle to the core's, except for the options of its opening.
func bundleOptions(_ options: remora_bundle_options) throws(RemoraError) -> BundleOptions {
  var result = BundleOptions()
  result.url = try text(options.url, "url")
  result.name = try text(options.name, "name") ?? ""
  result.method = try HTTPMethod(option: options.method)
  result.activation = try ActivationMode(option: options.activation)
  if let schema = try text(options.accepted_schema, "accepted_schema") { result.acceptedSchema = schema }
  result.defaultBundle = try text(options.default_bundle, "default_bundle").map { Array($0.utf8) }
  result.defaultVersion = options.default_version == 0 ? nil : options.default_version
  return result
}
