// SPDX-License-Identifier: Apache-2.0
//
// The network options of commands that fetch.

internal import Remora

/// The options of a fetch.
let fetchArguments =
  requestArguments + [
    Option(name: "timeout", value: "SECONDS", help: "time limit of the whole fetch; default: a limit for each request")
  ]

/// The options of requests for the files of a tree.
let treeArguments =
  requestArguments + [Option(name: "timeout", value: "SECONDS", help: "time limit of each request; default 120")]

private let requestArguments = [
  Option(name: "header", value: "HEADER", help: "a header \"Name: value\" for the server; may be repeated"),
  Option(name: "client-certificate", value: "FILE", help: "PEM file of a certificate for the server, mutual TLS"),
  Option(name: "client-key", value: "FILE", help: "PEM file of its private key; default: the file of the certificate"),
  Option(name: "ca-file", value: "FILE", help: "PEM file of TLS root certificates; default: libcurl's"),
  Option(name: "proxy", value: "URL", help: "proxy URL in libcurl's syntax; default none"),
]

extension Arguments {
  /// The caller's time limit, if any.
  var timeoutMs: Int64? {
    get throws(RemoraError) { try self["timeout"].map(milliseconds) }
  }

  /// The time limit of one request of a fetch: a second more than the caller's, so that the limit of the whole fetch
  /// expires first and is named in the error.
  var longestRequestMs: Int64? {
    get throws(RemoraError) { try timeoutMs?.addingClamped(1000) }
  }

  /// Returns the library's options for requests.
  ///
  /// - Parameter limit: The time limit of one request; nil means the default.
  func transportOptions(userAgent: String, requestLimitMs limit: Int64?) throws(RemoraError) -> TransportOptions {
    var options = TransportOptions(maxBodyBytes: PackagedData.maximumBytes)
    try options.setCAFile(self["ca-file"], as: "--ca-file")
    try options.setProxy(self["proxy"], as: "--proxy")
    try options.setHeaders(all("header"), as: "--header")
    try options.setClientCertificate(
      self["client-certificate"], key: self["client-key"], as: ("--client-certificate", "--client-key"))
    try options.setUserAgent(userAgent, as: "User-Agent")
    if let limit { options.totalTimeoutMs = limit }
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
