// SPDX-License-Identifier: Apache-2.0
//
// Section "seeding" of remora.h.

public import CRemora
internal import Glibc
internal import Remora

@_cdecl("remora_seed_options_init") @implementation
public func remora_seed_options_init(_ options: UnsafeMutablePointer<remora_seed_options>?, _ struct_size: Int) {
  initialize(options, size: struct_size)
}

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
      throw .invalidArgument("collection", "has no seed to request: its seed is what remora dump writes")
    }
    let transport = try optionsWithoutStorage(config).transportOptions
    let items = try application(config).seedItems(identifier: text(options.identifier, "identifier"))
    let gather = try dialect(of: options, config).seedRequest(telling: items)
    let answer =
      switch part {
      case REMORA_SEED_URL: gather.urlText
      case REMORA_SEED_METHOD: gather.method == .get ? "GET" : "POST"
      case REMORA_SEED_HEADERS: transport.headersWithUserAgent.map { "\($0)\n" }.joined()
      default: throw .invalidArgument("part", "is \(part), which is no REMORA_SEED_ part")
      }
    let target = try textTarget(buffer, size)
    let length = try require(out_length, "out_length")
    length.pointee = answer.withBytes { copyText($0, to: target) }
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
    let limit = try optionsWithoutStorage(config).transportOptions.maxBodyBytes
    let dialect = try dialect(of: options, config)
    guard options.fetched_at_ms >= 0 else { throw .invalidArgument("fetched_at_ms", "is negative") }
    let directory = try storageDirectory(config)
    guard directory != REMORA_STORAGE_MEMORY else {
      throw .invalidArgument("storage_dir", "is REMORA_STORAGE_MEMORY, which keeps no seed")
    }
    let seed = try Runtime.shared.compileSeed(
      inFile: file, limit: limit, of: dialect, fetchedAtMs: options.fetched_at_ms == 0 ? nil : options.fetched_at_ms)
    // Last: what is refused makes no directory.
    try StorageDirectory.open(path: directory, mayBeAnothers: true).saveSeed(seed.image)
    tell(seed.warnings, config)
  }
}

/// Writes what was ignored in the document to the host's log. No client exists whose delivery could do it.
private func tell(_ warnings: [String], _ config: remora_config) {
  guard let callback = config.log_callback, config.log_level == 0 || config.log_level >= REMORA_LOG_WARNING else {
    return
  }
  for warning in warnings { callback(REMORA_LOG_WARNING, printable(warning), config.log_user_data) }
}

/// The rules of the one source that is meant.
private func dialect(
  of options: remora_seed_options, _ config: remora_config
) throws(RemoraError) -> any Dialect {
  let given = [options.settings != nil, options.bundle != nil, options.collection != nil].filter { $0 }.count
  guard given == 1 else {
    throw .invalidArgument("options", "must have one of settings, bundle and collection, not \(given)")
  }
  if let settings = options.settings {
    let settings = try settingsOptions(read(settings, "settings"))
    guard !settings.isMemoryOnly else { throw .invalidArgument("memory_only", "must be 0: a seed is stored") }
    return try settings.dialect()
  }
  if let bundle = options.bundle {
    let dialect = try bundleOptions(read(bundle, "bundle")).resolved(hashSeed: Runtime.shared.hashSeed).0
    guard dialect.serverIdentity != nil else {
      throw .invalidArgument("url", "must be given: a seed is something that is fetched")
    }
    return dialect
  }
  let client = try optionsWithoutStorage(config)
  return try collectionOptions(read(options.collection, "collection"))
    .dialect(server: client.server, bucket: client.bucket)
}
