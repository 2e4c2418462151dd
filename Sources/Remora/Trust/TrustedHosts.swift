// SPDX-License-Identifier: Apache-2.0
//
// Where certificate chains and attachments may be fetched from: their URLs come from a server's answer, some of it
// unsigned, so they could point anywhere.
// Invariant: https to a named host and port; plain http only among loopback addresses.

/// The hosts that one server's chains and attachments may come from.
package struct TrustedHosts: Sendable {
  /// A place that may be asked over https.
  private struct Place: Hashable, Sendable {
    let host: HostName
    let port: UInt16
  }

  /// The server's own host, the presets' hosts and the caller's.
  private var places: Set<Place>
  /// Whether the server itself is plain http on loopback, as in tests and demos.
  private let isLoopbackServer: Bool

  /// Trusts the server's own host and port, the hosts that belong to a preset server, and `trustedHosts`: each a
  /// host name, with a port when that is not 443.
  ///
  /// - Throws: `.invalidArgument` that names `trusted_hosts`.
  package init(server: ParsedURL, trustedHosts: [String] = []) throws(RemoraError) {
    isLoopbackServer = server.scheme == .http && server.host.isLoopback
    places = []
    if server.scheme == .https { places.insert(Place(host: server.host, port: server.port)) }
    for text in (Self.presets[server.host.text] ?? []) + trustedHosts {
      let url = try ParsedURL("https://\(text)", as: "trusted_hosts")
      guard url.path == "/", url.query == nil, !text.hasSuffix("/") else {
        throw .invalidArgument("trusted_hosts", "has an entry that is not a host name, or host:port")
      }
      places.insert(Place(host: url.host, port: url.port))
    }
  }

  /// Whether a chain may be fetched from its URL.
  ///
  /// - Throws: `.chainLocation` that names the host and `trusted_hosts`.
  package func requireChain(at url: ParsedURL) throws(RemoraError) {
    if url.scheme == .http, isLoopbackServer, url.host.isLoopback { return }
    if url.scheme == .https, places.contains(Place(host: url.host, port: url.port)) { return }
    let problem =
      url.scheme == .https
      ? "is on \(url.originText), which is not trusted; trusted_hosts adds a host"
      : "uses plain http for \(url.host.text); only https is allowed"
    throw RemoraError(.chainLocation, "the certificate chain's URL (x5u) \(problem)")
  }

  /// The hosts of Mozilla's chains and attachments. Stage and dev serve their chains themselves.
  private static let presets = [
    "firefox.settings.services.mozilla.com": [
      "content-signature-2.cdn.mozilla.net", "firefox-settings-attachments.cdn.mozilla.net",
    ],
    "firefox.settings.services.allizom.org": ["firefox-settings-attachments.cdn.allizom.org"],
  ]
}
