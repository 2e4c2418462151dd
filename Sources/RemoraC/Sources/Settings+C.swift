// SPDX-License-Identifier: Apache-2.0
//
// Section "settings" of remora.h.

public import CRemora
internal import Remora

@_cdecl("remora_open_settings") @implementation
public func remora_open_settings(
  _ client: OpaquePointer?, _ settings: UnsafePointer<remora_settings_options>?,
  _ options: UnsafePointer<remora_source_options>?, _ out_source: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    try openSource(client, options, out_source) { (client, opening, first) throws(RemoraError) in
      let given = try read(settings, "settings")
      var settings = try settingsOptions(given)
      settings.opening = opening
      settings.opening.shape.set(requiredKeys: try texts(given.required_keys, "required_keys"))
      return try client.openSettings(settings, first: first)
    }
  }
}

@_cdecl("remora_open_tag") @implementation
public func remora_open_tag(
  _ settings: OpaquePointer?, _ tag: UnsafePointer<CChar>?, _ ttl_ms: Int64,
  _ out_tag: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error, of: settings) { () throws(RemoraError) in
    let opened = borrow(try require(settings, "settings"), as: SourceHandle.self).pointee.opened
    let tag = try require(text(tag, "tag"), "tag")
    let lifetime = try ttl_ms == 0 ? nil : Lifetime(option: duration(ttl_ms, default: 0, "ttl_ms"))
    let out = try require(out_tag, "out_tag")
    out.pointee = SourceHandle.make(try opened.openTag(tag, lifetime))
  }
}

/// Converts the options of settings to the core's, except for the options of their opening.
func settingsOptions(_ options: remora_settings_options) throws(RemoraError) -> SettingsOptions {
  var result = SettingsOptions()
  if let url = try text(options.url, "url") { result.url = url }
  result.parameters = try pairs(options.request_params, "request_params")
  result.rootKey = try text(options.root_key, "root_key")
  result.tag = try text(options.tag, "tag")
  if let item = try text(options.tag_item, "tag_item") { result.tagItem = item }
  result.activation = try ActivationMode(option: options.activation)
  result.isMemoryOnly = try flag(options.memory_only, "memory_only")
  result.packaged = try packagedData(options.packaged_file, options.packaged_data, options.packaged_size)
  result.lifetime = Lifetime(option: try duration(options.ttl_ms, default: 0, "ttl_ms"))
  return result
}

/// Returns the pairs of a NULL-terminated array of names and values.
private func pairs(
  _ array: UnsafePointer<UnsafePointer<CChar>?>?, _ name: StaticString
) throws(RemoraError) -> [(name: String, value: String)] {
  let all = try texts(array, name)
  guard all.count.isMultiple(of: 2) else { throw .invalidArgument("\(name)", "has a name without a value") }
  return stride(from: 0, to: all.count, by: 2).map { (all[$0], all[$0 + 1]) }
}
