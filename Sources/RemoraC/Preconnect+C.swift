// SPDX-License-Identifier: Apache-2.0
//
// Section "before setup" of remora.h.

public import CRemora
internal import Remora

@_cdecl("remora_preconnect") @implementation
public func remora_preconnect(
  _ options: UnsafePointer<remora_preconnect_options>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let options = try read(options, "options")
    let url = try ParsedURL(require(try text(options.url, "url"), "url"), as: "url")
    let application = Application(
      name: try require(try line(options.application_name, "application_name"), "application_name"))
    try Runtime.shared.preconnect(
      to: url, for: application, on: try text(options.platform, "platform"),
      try transportOptions(options, application))
  }
}

private func transportOptions(
  _ options: remora_preconnect_options, _ application: Application
) throws(RemoraError) -> TransportOptions {
  let defaults = TransportOptions.ofPreconnect
  return TransportOptions(
    proxy: try line(options.proxy, "proxy"), caFile: try text(options.ca_file, "ca_file"),
    userAgent: try line(options.user_agent, "user_agent") ?? application.userAgent(library: REMORA_VERSION),
    connectTimeoutMs: try duration(
      options.connect_timeout_ms, default: defaults.connectTimeoutMs, "connect_timeout_ms"),
    totalTimeoutMs: try duration(options.total_timeout_ms, default: defaults.totalTimeoutMs, "total_timeout_ms"),
    maxBodyBytes: defaults.maxBodyBytes)
}
