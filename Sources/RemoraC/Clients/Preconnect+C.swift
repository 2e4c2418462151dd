// SPDX-License-Identifier: Apache-2.0
//
// Section "lifecycle" of remora.h: opening a connection before it is needed.

public import CRemora
internal import Remora

@_cdecl("remora_preconnect") @implementation
public func remora_preconnect(
  _ config: UnsafePointer<remora_config>?, _ url: UnsafePointer<CChar>?, _ platform: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let config = try read(config, "config")
    let url = try ParsedURL(require(try text(url, "url"), "url"), as: "url")
    let application = try application(config)
    try Preconnects().open(
      to: url, for: application, on: try text(platform, "platform"), try transportOptions(config, application),
      hasHostTransport: config.transport != nil)
  }
}

private func transportOptions(
  _ config: remora_config, _ application: Application
) throws(RemoraError) -> TransportOptions {
  var options = TransportOptions.ofPreconnect
  try options.setCAFile(text(config.ca_file, "ca_file"))
  try options.setClientCertificate(
    text(config.client_certificate_file, "client_certificate_file"),
    key: text(config.client_key_file, "client_key_file"))
  options.connectTimeoutMs = try duration(
    config.connect_timeout_ms, default: options.connectTimeoutMs, "connect_timeout_ms")
  options.totalTimeoutMs = try duration(config.total_timeout_ms, default: options.totalTimeoutMs, "total_timeout_ms")
  try options.setProxy(text(config.proxy, "proxy"))
  try options.setUserAgent(text(config.user_agent, "user_agent"), as: "user_agent", or: application)
  return options
}
