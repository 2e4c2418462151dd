// SPDX-License-Identifier: Apache-2.0
//
// The network options of commands that fetch.

internal import Remora

/// The options of requests to a server.
let transportArguments = [
  Option(name: "ca-file", value: "FILE", help: "PEM file of TLS root certificates; default: libcurl's"),
  Option(name: "proxy", value: "URL", help: "proxy URL in libcurl's syntax; default none"),
  Option(name: "timeout", value: "SECONDS", help: "time limit of the whole fetch; default: a limit for each request"),
]

extension Arguments {
  /// The caller's time limit, if any.
  var timeoutMs: Int64? {
    get throws(RemoraError) { try self["timeout"].map(milliseconds) }
  }

  /// Returns the library's options for requests.
  func transportOptions(userAgent: String, timeoutMs: Int64?) throws(RemoraError) -> TransportOptions {
    var options = TransportOptions(maxBodyBytes: PackagedData.maximumBytes)
    try options.setCAFile(self["ca-file"], as: "--ca-file")
    try options.setProxy(self["proxy"], as: "--proxy")
    try options.setHeaders(all("header"), as: "--header")
    try options.setUserAgent(userAgent, as: "User-Agent")
    // The caller's limit replaces the default limit of one request. A request may take one second more, so that the
    // limit of the whole fetch expires first and is named in the error.
    if let timeoutMs { options.totalTimeoutMs = timeoutMs.addingClamped(1000) }
    return options
  }
}

/// Converts whole seconds to milliseconds.
private func milliseconds(_ text: String) throws(RemoraError) -> Int64 {
  guard let seconds = Int64(text), (1...1_000_000).contains(seconds) else {
    throw .usage("--timeout must be a whole number of seconds, 1 to 1000000")
  }
  return seconds * 1000
}
