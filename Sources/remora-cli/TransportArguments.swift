// SPDX-License-Identifier: Apache-2.0
//
// The options by which a command that fetches is told the way to the server.

internal import Remora

/// How a server is reached.
let transportArguments = [
  Option(name: "ca-file", value: "FILE", help: "PEM file of TLS roots; default libcurl's"),
  Option(name: "proxy", value: "URL", help: "proxy, as libcurl takes it; default none"),
  Option(name: "timeout", value: "SECONDS", help: "limit of the whole fetch; default none but the transport's"),
]

extension Arguments {
  /// The caller's limit, if there is one.
  var timeoutMs: Int64? {
    get throws(RemoraError) { try self["timeout"].map(milliseconds) }
  }

  /// The library's options for requests.
  func transportOptions(userAgent: String, timeoutMs: Int64?) throws(RemoraError) -> TransportOptions {
    var options = TransportOptions(
      proxy: self["proxy"], caFile: self["ca-file"], userAgent: userAgent, maxBodyBytes: PackagedData.maximumBytes)
    if let proxy = self["proxy"] { try validateHeaderValue(proxy, of: "--proxy") }
    // The caller's own limit replaces that of one request.
    if let timeoutMs { options.totalTimeoutMs = timeoutMs }
    return options
  }
}

/// Whole seconds in milliseconds.
private func milliseconds(_ text: String) throws(RemoraError) -> Int64 {
  guard let seconds = Int64(text), (1...1_000_000).contains(seconds) else {
    throw .usage("--timeout must be a whole number of seconds, 1 to 1000000")
  }
  return seconds * 1000
}
