// SPDX-License-Identifier: Apache-2.0
//
// Opens a connection before it is needed.

internal import Remora

extension Client {
  /// Opens a connection to a server before it is needed, so that the first request is faster. Sends one GET in the
  /// background, and keeps the connection for the next request of any client to the same scheme, host and port. Works
  /// before a client exists. Returns at once. The clients' log contains the result; a failure has no other effect.
  ///
  /// - Parameters:
  ///   - url: An http or https URL. The query items `app` and `platform` are added to it. Any HTTP status is accepted.
  ///   - configuration: `applicationName` is required here. The options of connections and requests are used, such as
  ///     `proxy` and `totalTimeout`, but `headers` are not sent. Only clients with the same `proxy`, `caFile` and
  ///     client certificate use the connection. With a `transport`, no request is sent.
  ///   - platform: The value of the query item `platform`. Default: `"linux"`.
  /// - Throws: `.invalidArgument` naming the option; `.unavailable` if libcurl, libcrypto or a thread is missing;
  ///   `.closed` while the process exits.
  public static func preconnect(
    to url: String, _ configuration: Configuration, platform: String = "linux"
  ) throws(RemoraError) {
    try call { () throws(Remora.RemoraError) in
      try Preconnects().open(
        to: ParsedURL(url, as: "url"), for: configuration.application(), on: platform,
        try configuration.optionsInMemory().transportOptions, hasHostTransport: configuration.transport != nil)
    }
  }

  /// Opens a connection to a server before it is needed, with a time limit of 30 s. The function with a configuration
  /// has more options.
  ///
  /// - Parameters:
  ///   - url: An http or https URL.
  ///   - applicationName: The value of the query item `app`.
  ///   - platform: The value of the query item `platform`. Default: `"linux"`.
  ///   - proxy: The proxy of the clients that will use the connection. Nil means no proxy.
  ///   - caFile: The PEM file of trusted roots of these clients. Nil means libcurl's file.
  /// - Throws: The errors of the function with a configuration.
  public static func preconnect(
    to url: String, applicationName: String, platform: String = "linux", proxy: String? = nil, caFile: String? = nil
  ) throws(RemoraError) {
    try preconnect(
      to: url,
      Configuration(
        storageDirectory: nil, applicationName: applicationName, proxy: proxy, caFile: caFile,
        totalTimeout: .seconds(30)), platform: platform)
  }
}
