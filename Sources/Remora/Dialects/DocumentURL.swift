// SPDX-License-Identifier: Apache-2.0
//
// One JSON document at a URL: its location, its request, and its redirects.
// Invariant: an https URL never leads to plain http.

package struct DocumentURL: Sendable {
  package static let mostRedirects = 5

  package let url: ParsedURL
  package let method: HTTPMethod
  /// The server whose backoff applies. Stored, because every wait reads it.
  package let serverIdentity: String

  /// Parses a URL; one without a scheme gets https.
  ///
  /// - Parameters:
  ///   - items: Query items to add, which are encoded.
  ///   - name: The name of the option in messages.
  /// - Throws: `.invalidArgument` naming the option, for another scheme, credentials, a fragment or spaces.
  package init(
    _ text: String, method: HTTPMethod = .get, adding items: [(name: String, value: String)] = [], as name: String
  ) throws(RemoraError) {
    let given = try ParsedURL(hasScheme(text) ? text : "https://" + text, as: name)
    self.method = method
    url = items.isEmpty ? given : try given.adding(items, as: name)
    serverIdentity = "origin \(given.originText)"
  }

  /// The text that identifies this document in the identity of a source; its format must never change. It contains a
  /// digest of the query, because identities are stored and the query may contain secrets.
  package var identity: String {
    let query = url.query.map { "\nquery \(hexText(sha256(Array($0.utf8))))" } ?? ""
    return "url \(location)\(query)\nmethod \(method.rawValue)"
  }

  /// The URL without its query, which may contain secrets.
  package var location: String { url.originText + url.path }

  package var gather: Gather { Gather(.document(since: nil), at: url, method: method, hosting: .any) }

  /// Returns the request for the target of a redirect: any host, but from https to https only.
  package func redirect(_ location: String, of gather: Gather) throws(RemoraError) -> Gather {
    let from = gather.url
    guard gather.redirects < Self.mostRedirects else {
      throw RemoraError(.redirect, "\(url.originText) redirects more than \(Self.mostRedirects) times")
    }
    let target: ParsedURL
    do throws(RemoraError) {
      target = try from.resolving(location)
    } catch {
      throw RemoraError(.redirect, "\(from.originText) redirects to an invalid URL: \(error.message)")
    }
    guard from.scheme == .http || target.scheme == .https else {
      throw RemoraError(.redirect, "\(from.originText) redirects to \(target.originText), which is not https")
    }
    return Gather(
      gather.purpose, at: target, method: gather.method, isOwnOrigin: target.hasSameOrigin(as: url),
      redirects: gather.redirects + 1, hosting: gather.hosting)
  }
}

/// Whether a text begins with a scheme and "://". In "localhost:80" the text before the colon is a host.
private func hasScheme(_ text: String) -> Bool {
  let bytes = Array(text.utf8)
  guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isEqual(bytes[colon...].prefix(3), "://") else {
    return false
  }
  return !bytes[..<colon].contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
}
