// SPDX-License-Identifier: Apache-2.0
//
// Section "before setup" of remora.h.

public import CRemora
internal import Remora

@_cdecl("remora_preconnect_options_init") @implementation
public func remora_preconnect_options_init(
  _ options: UnsafeMutablePointer<remora_preconnect_options>?, _ struct_size: Int
) {
  initialize(options, size: struct_size)
}

@_cdecl("remora_preconnect") @implementation
public func remora_preconnect(
  _ options: UnsafePointer<remora_preconnect_options>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let options = try read(options, "options")
    try Runtime.shared.preconnect(to: target(of: options), try transportOptions(options))
  }
}

/// The URL with the application's name and platform as query items.
private func target(of options: remora_preconnect_options) throws(RemoraError) -> ParsedURL {
  let url = try ParsedURL(require(try text(options.url, "url"), "url"), as: "url")
  let application = try require(try text(options.application_name, "application_name"), "application_name")
  guard !application.isEmpty else { throw .invalidArgument("application_name", "is empty") }
  let platform = try text(options.platform, "platform") ?? "linux"
  return try url.adding([("app", application), ("platform", platform)], as: "url")
}

private func transportOptions(_ options: remora_preconnect_options) throws(RemoraError) -> TransportOptions {
  let own = try line(options.user_agent, "user_agent")
  let name = try line(options.application_name, "application_name") ?? ""
  let defaults = TransportOptions.ofPreconnect
  return TransportOptions(
    proxy: try line(options.proxy, "proxy"), caFile: try text(options.ca_file, "ca_file"),
    userAgent: own ?? "\(name)/0 Remora/\(REMORA_VERSION)",
    connectTimeoutMs: try duration(
      options.connect_timeout_ms, default: defaults.connectTimeoutMs, "connect_timeout_ms"),
    totalTimeoutMs: try duration(options.total_timeout_ms, default: defaults.totalTimeoutMs, "total_timeout_ms"),
    maxBodyBytes: defaults.maxBodyBytes)
}
