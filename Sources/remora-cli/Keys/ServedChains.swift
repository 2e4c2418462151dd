// SPDX-License-Identifier: Apache-2.0
//
// The certificate chains of a tree on a server, for `remora keys show`. They are read without being trusted.

internal import Remora

/// Returns the chains with which the collections of a served tree are signed. It is one, unless somebody is publishing.
///
/// - Throws: `.invalidArgument` for plain http, except to a loopback address; `.format` if the tree has no collection;
///   `.signatureMissing`; the errors of requests.
func servedChains(_ text: String, _ arguments: Arguments) throws(RemoraError) -> [SignerChain] {
  try requireSecure(ParsedURL(text, as: "the URL"), "the URL")
  let site = try Site(text, bypassingCaches: false, arguments)
  var chains: [String: SignerChain] = [:]
  for name in try site.monitored().keys.sorted().map(collectionName) {
    let changeset = TreePath.changeset(name)
    guard let bytes = try site.read(changeset, limit: TransportOptions().maxBodyBytes) else {
      throw .format(site.name(of: changeset), "does not exist")
    }
    let document = try decodeChangeset(bytes, named: site.name(of: changeset), of: name)
    guard let x5u = document.signatures.first?.x5u else {
      throw RemoraError(.signatureMissing, "\(site.name(of: changeset)) is not signed")
    }
    guard chains[x5u] == nil else { continue }
    let path = "\(TreePath.authorities)/\(splitPath(x5u).name)"
    guard let pem = try site.read(path, limit: maximumKeyFile) else {
      throw RemoraError(.chainLocation, "the certificate chain \(x5u) is not at \(site.name(of: path))")
    }
    chains[x5u] = try SignerChain(pem, site.name(of: path))
  }
  guard !chains.isEmpty else { throw .format(site.name(of: TreePath.monitor), "lists no collection") }
  return chains.sorted { $0.key < $1.key }.map(\.value)
}

/// Checks that a URL begins with https, or leads to a loopback address.
func requireSecure(_ url: ParsedURL, _ name: String) throws(RemoraError) {
  guard url.scheme == .https || url.isPlainLoopback else {
    throw .usage("\(name) must begin with https://, except for a loopback address")
  }
}
