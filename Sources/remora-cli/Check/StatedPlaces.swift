// SPDX-License-Identifier: Apache-2.0
//
// Where a published tree says that its attachments and certificate chains are, compared with the URL that is checked.
// The check reads all files below that URL, but clients fetch these from where the tree says.

internal import Remora

/// The URLs that a tree states.
struct StatedPlaces {
  /// The base URL of the server; nil if the root document states none.
  var base: String?
  /// The URLs of certificate chains.
  var chains: Set<String> = []

  /// Reports the places that are not below the URL that is checked.
  func compare(with server: CollectionServer, _ findings: inout Findings) throws(RemoraError) {
    let url = "\(server.base)"
    if let base, try "\(ParsedURL(base, as: "base_url"))" != url {
      findings.warn(
        "index.json: the base_url of attachments is below \(base), so clients of \(url) fetch attachments from there;"
          + " publish with the --base-url that clients use")
    }
    let hosts = try TrustedHosts(server: server.base)
    for chain in chains.sorted() where !chain.hasPrefix("\(url)/\(TreePath.authorities)/") {
      do throws(RemoraError) {
        try hosts.requireChain(at: ParsedURL(chain, as: "x5u"))
        findings.warn("\(chain): clients of \(url) fetch this certificate chain (x5u) from there, and not below \(url)")
      } catch {
        let reason = "clients of \(url) refuse this certificate chain (x5u), unless its host is in their trusted_hosts"
        findings.add(RemoraError(.chainLocation, reason), at: chain)
      }
    }
  }
}
