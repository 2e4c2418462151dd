// SPDX-License-Identifier: Apache-2.0
//
// The hosts from which certificate chains may be fetched. Chain URLs are part of a server's response, in part unsigned,
// so they could lead anywhere.
// Invariant: https to a named host and port; plain http only among loopback addresses.

/// The hosts that may serve the chains of one server.
package struct TrustedHosts: Sendable {
  /// The server: its own host and port are trusted.
  private let server: ParsedURL
  private var added: [ParsedURL] = []

  /// Trusts the server's own host and port, the hosts that belong to a preset server, and `trustedHosts`. Each of these
  /// is a host name, with a port unless it is 443.
  ///
  /// - Throws: `.invalidArgument` naming `trusted_hosts`.
  package init(server: ParsedURL, trustedHosts: [String] = []) throws(RemoraError) {
    self.server = server
    for text in trustedHosts {
      let url = try ParsedURL("https://\(text)", as: "trusted_hosts")
      guard url.path == "/", url.query == nil, !text.hasSuffix("/") else {
        throw .invalidArgument("trusted_hosts", "has an entry that is neither a host name nor host:port")
      }
      added.append(url)
    }
  }

  /// Checks that a chain may be fetched from its URL.
  ///
  /// - Throws: `.chainLocation` naming the host and `trusted_hosts`.
  package func requireChain(at url: ParsedURL) throws(RemoraError) {
    if url.isPlainLoopback, server.isPlainLoopback { return }
    if url.scheme == .https, isTrusted(url) { return }
    let problem =
      url.scheme == .https
      ? "is on \(url.originText), which is not trusted; add the host to trusted_hosts to trust it"
      : "uses plain http for \(url.host.text); only https is allowed"
    throw RemoraError(.chainLocation, "the certificate chain's URL (x5u) \(problem)")
  }

  private func isTrusted(_ url: ParsedURL) -> Bool {
    url.hasSameOrigin(as: server) || isOfPreset(url) || added.contains { $0.hasSameOrigin(as: url) }
  }

  /// Whether the URL's host serves the chains of Mozilla's servers. Stage and dev serve their chains themselves.
  private func isOfPreset(_ url: ParsedURL) -> Bool {
    url.port == 443 && server.host.text == "firefox.settings.services.mozilla.com"
      && url.host.text == "content-signature-2.cdn.mozilla.net"
  }
}

extension ParsedURL {
  /// Whether this is plain http on loopback, as in tests and demos.
  package var isPlainLoopback: Bool { scheme == .http && host.isLoopback }
}
