// SPDX-License-Identifier: Apache-2.0
//
// One JSON document at a URL: where it is, how it is asked for, and where it may have moved.
// Invariant: a URL that says https never leads to plain http.

/// The place of a document.
package struct DocumentURL: Sendable {
  /// How many redirects are followed.
  package static let mostRedirects = 5

  package let url: ParsedURL
  package let method: HTTPMethod
  /// The server whose backoff counts. Made once, as every wait asks for it.
  package let serverIdentity: String

  /// Reads a URL; one without a scheme gets https.
  ///
  /// - Parameters:
  ///   - items: Added to its query, encoded.
  ///   - name: The option, for sentences.
  /// - Throws: `.invalidArgument` naming the option: another scheme, credentials, a fragment, spaces.
  package init(
    _ text: String, method: HTTPMethod = .get, adding items: [(name: String, value: String)] = [], as name: String
  ) throws(RemoraError) {
    let given = try ParsedURL(hasScheme(text) ? text : "https://" + text, as: name)
    self.method = method
    url = items.isEmpty ? given : try given.adding(items, as: name)
    serverIdentity = "origin \(given.originText)"
  }

  /// What tells this document from any other in the identity of a source: never change it.
  package var identity: String { "url \(url)\nmethod \(method.rawValue)" }

  /// The document without its query, which may hold secrets.
  package var location: String { url.originText + url.path }

  /// The request for it.
  package var gather: Gather { Gather(.document(since: nil), at: url, method: method, hosting: .any) }

  /// Where a redirect leads: to any host, and from https to https only.
  package func redirect(_ location: String, of gather: Gather) throws(RemoraError) -> Gather {
    let from = gather.url
    guard gather.redirects < Self.mostRedirects else {
      throw RemoraError(.redirect, "more than \(Self.mostRedirects) redirects from \(url.originText)")
    }
    let target: ParsedURL
    do throws(RemoraError) {
      target = try from.resolving(location)
    } catch {
      throw RemoraError(.redirect, "\(from.originText) redirects to a place that is no URL: \(error.message)")
    }
    guard from.scheme == .http || target.scheme == .https else {
      throw RemoraError(.redirect, "\(from.originText) redirects to \(target.originText), which is not https")
    }
    return Gather(
      gather.purpose, at: target, method: gather.method, isOwnOrigin: target.hasSameOrigin(as: url),
      redirects: gather.redirects + 1, hosting: gather.hosting)
  }
}

/// Whether a text begins with a scheme and "://". "localhost:80" does not: what precedes a lone colon is a host.
private func hasScheme(_ text: String) -> Bool {
  let bytes = Array(text.utf8)
  guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isEqual(bytes[colon...].prefix(3), "://") else {
    return false
  }
  return !bytes[..<colon].contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
}
