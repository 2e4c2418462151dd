// SPDX-License-Identifier: Apache-2.0
//
// Section "seeding" of remora.h.

public import CRemora
internal import Glibc
internal import Remora

@_cdecl("remora_seed_request") @implementation
public func remora_seed_request(
  _ config: UnsafePointer<remora_config>?, _ options: UnsafePointer<remora_seed_options>?,
  _ callback: remora_send_callback?, _ user_data: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let config = try read(config, "config")
    let options = try read(options, "options")
    let client = try clientOptions(config, storagePath: nil)
    let request = try SeedRequest(
      of: seedSource(options, client), by: application(config), identifier: text(options.identifier, "identifier"),
      client.transportOptions)
    let callback = try require(callback, "callback")
    var isExiting = false
    withRequest(id: 0, request.method, request.url, request.headers) { request in
      isExiting = HostCalling.call { callback(request, user_data) } == nil
    }
    if isExiting { throw .exiting }
  }
}

@_cdecl("remora_seed_save") @implementation
public func remora_seed_save(
  _ config: UnsafePointer<remora_config>?, _ options: UnsafePointer<remora_seed_options>?,
  _ file: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let config = try read(config, "config")
    let options = try read(options, "options")
    let file = try require(try text(file, "file"), "file")
    let log = try log(config, UserData(config.on_log_user_data, nil))
    let client = try clientOptions(config, storagePath: nil)
    try Seeds().save(
      of: seedSource(options, client), inFile: file, limit: client.transportOptions.maxBodyBytes,
      fetchedAtMs: options.fetched_at_ms, toDirectory: storagePath(config), log: log)
  }
}

/// Converts the source that the options name to the core's.
private func seedSource(_ options: remora_seed_options, _ client: ClientOptions) throws(RemoraError) -> SeedSource {
  try SeedSource(
    settings: options.settings.map { settings throws(RemoraError) in try settingsOptions(read(settings, "settings")) },
    bundle: options.bundle.map { bundle throws(RemoraError) in try bundleOptions(read(bundle, "bundle")) },
    collection: options.collection.map { collection throws(RemoraError) in
      try collectionOptions(read(collection, "collection"))
    }, of: client)
}
