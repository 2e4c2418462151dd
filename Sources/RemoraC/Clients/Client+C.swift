// SPDX-License-Identifier: Apache-2.0
//
// Sections "lifecycle" and "context" of remora.h.

public import CRemora
internal import Remora

@_cdecl("remora_setup") @implementation
public func remora_setup(
  _ config: UnsafePointer<remora_config>?, _ out_client: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let functions = try hostFunctions(config)
    let config = try read(config, "config")
    let out = try require(out_client, "out_client")
    out.pointee = export(try Client(clientOptions(config, storagePath: storagePath(config)), functions))
  }
}

@_cdecl("remora_client_close") @implementation
public func remora_client_close(_ client: OpaquePointer?) {
  guard let client else { return }
  // The handle is freed last, because a callback that `close` waits for may be using it.
  ForkGate.inside {
    borrow(client, as: Client.self).pointee.close()
    _ = consume(client, as: Client.self)
  }
}

@_cdecl("remora_set_context") @implementation
public func remora_set_context(
  _ client: OpaquePointer?, _ context_json: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let client = borrow(try require(client, "client"), as: Client.self).pointee
    try client.setContext(try text(context_json, "context_json"))
  }
}

@_cdecl("remora_set_headers") @implementation
public func remora_set_headers(
  _ client: OpaquePointer?, _ headers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let client = borrow(try require(client, "client"), as: Client.self).pointee
    try client.setHeaders(try texts(headers, "headers"))
  }
}

/// Converts the functions of a configuration to the core's. All user data is freed, even if an argument is invalid.
private func hostFunctions(_ config: UnsafePointer<remora_config>?) throws(RemoraError) -> HostFunctions {
  let known = knownFields(of: config)
  let (transport, clock) = (knownFields(of: known.transport), knownFields(of: known.clock))
  let logUserData = UserData(known.on_log_user_data, known.on_log_free_user_data)
  let attemptUserData = UserData(known.on_attempt_user_data, known.on_attempt_free_user_data)
  let transportUserData = UserData(transport.user_data, transport.free_user_data)
  let clockUserData = UserData(clock.user_data, clock.free_user_data)
  let config = try read(config, "config")
  return HostFunctions(
    log: try log(config, logUserData), onAttempt: config.on_attempt.map { attemptSink($0, attemptUserData) },
    transport: try hostCalls(config.transport, transportUserData),
    readClock: try clockReader(config.clock, clockUserData))
}

/// Returns the storage directory of a configuration; nil for REMORA_STORAGE_MEMORY.
func storagePath(_ config: remora_config) throws(RemoraError) -> String? {
  let path = try require(try text(config.storage_dir, "storage_dir"), "storage_dir")
  return path == REMORA_STORAGE_MEMORY ? nil : path
}

func clientOptions(_ config: remora_config, storagePath: String?) throws(RemoraError) -> ClientOptions {
  var options = try ClientOptions(
    storagePath: storagePath, server: text(config.server, "server"), bucket: text(config.bucket, "bucket"),
    transportOptions(config), callbacks: CallbackPlace(option: config.callbacks))
  let maxStale = try duration(config.max_stale_ms, default: -1, "max_stale_ms")
  options.maxStaleMs = maxStale < 0 ? nil : maxStale
  return options
}

private func transportOptions(_ config: remora_config) throws(RemoraError) -> TransportOptions {
  let defaults = TransportOptions()
  var transport = TransportOptions(
    connectTimeoutMs: try duration(config.connect_timeout_ms, default: defaults.connectTimeoutMs, "connect_timeout_ms"),
    stallTimeoutMs: try duration(config.stall_timeout_ms, default: defaults.stallTimeoutMs, "stall_timeout_ms"),
    totalTimeoutMs: try duration(config.total_timeout_ms, default: defaults.totalTimeoutMs, "total_timeout_ms"))
  try transport.setCAFile(text(config.ca_file, "ca_file"))
  try transport.setClientCertificate(
    text(config.client_certificate_file, "client_certificate_file"),
    key: text(config.client_key_file, "client_key_file"))
  try transport.setProxy(text(config.proxy, "proxy"))
  try transport.setHeaders(texts(config.headers, "headers"))
  try transport.setUserAgent(text(config.user_agent, "user_agent"), as: "user_agent", or: application(config))
  try transport.limitBody(toBytes: config.max_body_bytes)
  return transport
}

func application(_ config: remora_config) throws(RemoraError) -> Application {
  try Application(
    name: text(config.application_name, "application_name"),
    version: text(config.application_version, "application_version"),
    build: text(config.application_build, "application_build"))
}

func log(_ config: remora_config, _ userData: UserData) throws(RemoraError) -> Log {
  let level = try LogLevel(option: config.log_level)
  guard let callback = config.on_log else { return Log(level: nil) { _ in _ = userData } }
  return Log(level: level) { line in
    withOptionalText(line.source?.name) { name in
      line.text.withCString { message in
        var entry = remora_log_entry(
          struct_size: MemoryLayout<remora_log_entry>.size, level: line.level.rawValue,
          kind: line.source?.kind.rawValue ?? 0, source_name: name, message: message)
        HostCalling.call { callback(&entry, userData.pointer) }
      }
    }
  }
}

/// Calls `body` with a text as a C string, or with NULL.
private func withOptionalText(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Void) {
  guard let text else { return body(nil) }
  text.withCString { body($0) }
}
