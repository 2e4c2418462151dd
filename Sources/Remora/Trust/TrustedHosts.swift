// SPDX-License-Identifier: Apache-2.0
//
// Where certificate chains may be fetched from: their URLs come from a server's answer, some of it
// unsigned, so they could point anywhere.
// Invariant: https to a named host and port; plain http only among loopback addresses.

/// The hosts that one server's chains may come from.
package struct TrustedHosts: Sendable {
  /// The server: its own host and port are trusted.
  private let server: ParsedURL
  /// The caller's hosts.
  private var added: [ParsedURL] = []

  /// Trusts the server's own host and port, the hosts that belong to a preset server, and `trustedHosts`: each a
  /// host name, with a port when that is not 443.
  ///
  /// - Throws: `.invalidArgument` that names `trusted_hosts`.
  package init(server: ParsedURL, trustedHosts: [String] = []) throws(RemoraError) {
    self.server = server
    for text in trustedHosts {
      let url = try ParsedURL("https://\(text)", as: "trusted_hosts")
      guard url.path == "/", url.query == nil, !text.hasSuffix("/") else {
        throw .invalidArgument("trusted_hosts", "has an entry that is not a host name, or host:port")
      }
      added.append(url)
    }
  }

  /// Whether a chain may be fetched from its URL.
  ///
  /// - Throws: `.chainLocation` that names the host and `trusted_hosts`.
  package func requireChain(at url: ParsedURL) throws(RemoraError) {
    if url.isPlainLoopback, server.isPlainLoopback { return }
    if url.scheme == .https, isTrusted(url) { return }
    let problem =
      url.scheme == .https
      ? "is on \(url.originText), which is not trusted; trusted_hosts adds a host"
      : "uses plain http for \(url.host.text); only https is allowed"
    throw RemoraError(.chainLocation, "the certificate chain's URL (x5u) \(problem)")
  }

  private func isTrusted(_ url: ParsedURL) -> Bool {
    url.hasSameOrigin(as: server) || isOfPreset(url) || added.contains { $0.hasSameOrigin(as: url) }
  }

  /// Whether this is a host of Mozilla's chains, for Mozilla's servers. Stage and dev serve their
  /// chains themselves.
  private func isOfPreset(_ url: ParsedURL) -> Bool {
    url.port == 443 && server.host.text == "firefox.settings.services.mozilla.com"
      && url.host.text == "content-signature-2.cdn.mozilla.net"
  }
}

extension ParsedURL {
  /// Whether this is plain http on loopback, as in tests and demos.
  package var isPlainLoopback: Bool { scheme == .http && host.isLoopback }
}
