// SPDX-License-Identifier: Apache-2.0
//
// Section "seeding" of remora.h.

public import CRemora
internal import Glibc
internal import Remora

@_cdecl("remora_seed_request") @implementation
public func remora_seed_request(
  _ config: UnsafePointer<remora_config>?, _ options: UnsafePointer<remora_seed_options>?, _ part: Int32,
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ out_length: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let config = try read(config, "config")
    let options = try read(options, "options")
    guard options.collection == nil else {
      throw .invalidArgument(
        "collection", "must be NULL: only settings and bundles have a seed request; for a collection, use remora dump")
    }
    let request = try SeedRequest(
      of: dialect(of: options, config), by: application(config), identifier: text(options.identifier, "identifier"),
      clientOptions(config, storagePath: nil).transportOptions)
    let text = try text(of: part, request)
    let target = try textTarget(buffer, size)
    let length = try require(out_length, "out_length")
    length.pointee = text.withBytes { copyText($0, to: target) }
  }
}

private func text(of part: Int32, _ request: SeedRequest) throws(RemoraError) -> String {
  switch part {
  case REMORA_SEED_URL: request.url
  case REMORA_SEED_METHOD: request.method
  case REMORA_SEED_HEADERS: request.headers
  default: throw .invalidArgument("part", "is \(part), which is not a REMORA_SEED_ value")
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
    let limit = try clientOptions(config, storagePath: nil).transportOptions.maxBodyBytes
    let dialect = try dialect(of: options, config)
    guard let directory = try storagePath(config) else {
      throw .invalidArgument("storage_dir", "is REMORA_STORAGE_MEMORY, but a seed must be stored in a directory")
    }
    let warnings = try Runtime.shared.saveSeed(
      inFile: file, limit: limit, of: dialect, fetchedAtMs: options.fetched_at_ms, toDirectory: directory)
    // Calls the log directly, because there is no client whose delivery could do it.
    for warning in warnings { log.write(LogLine(.warning, of: dialect.label, warning)) }
  }
}

/// Returns the dialect of the one source that the options name.
private func dialect(
  of options: remora_seed_options, _ config: remora_config
) throws(RemoraError) -> any Dialect {
  let given = [options.settings != nil, options.bundle != nil, options.collection != nil].filter { $0 }.count
  guard given == 1 else {
    throw .invalidArgument("options", "must set exactly one of settings, bundle and collection, but sets \(given)")
  }
  if let settings = options.settings { return try settingsOptions(read(settings, "settings")).seedDialect() }
  if let bundle = options.bundle { return try bundleOptions(read(bundle, "bundle")).seedDialect() }
  let client = try clientOptions(config, storagePath: nil)
  return try collectionOptions(read(options.collection, "collection"))
    .dialect(server: client.server, bucket: client.bucket)
}
