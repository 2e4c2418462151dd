// SPDX-License-Identifier: Apache-2.0
//
// One request of a refresh, for a document or a certificate chain.

/// One request of a refresh, and the purpose of its response. Immutable, so that its users can share one object.
package final class Gather: Sendable {
  package enum Purpose: Sendable, Equatable {
    /// A document: the changes since a version, or everything.
    case document(since: Int64?)
    /// The certificate chain of the signature that is being verified.
    case chain
  }

  package let purpose: Purpose
  package let method: HTTPMethod
  package let url: ParsedURL
  /// The URL in the form in which it is sent.
  package let urlText: String
  /// Whether the request goes to the source's own server.
  package let isOwnOrigin: Bool
  /// The number of redirects that led to this request.
  package let redirects: Int
  /// The response properties that are accepted.
  package let hosting: Hosting

  package init(
    _ purpose: Purpose, at url: ParsedURL, method: HTTPMethod = .get, isOwnOrigin: Bool = true, redirects: Int = 0,
    hosting: Hosting = .strict
  ) {
    self.purpose = purpose
    self.method = method
    self.url = url
    self.hosting = hosting
    urlText = url.description
    self.isOwnOrigin = isOwnOrigin
    self.redirects = redirects
  }

  /// The request in a log line.
  package var logText: String { "\(method == .post ? "POST" : "GET") \(url.logText)" }

  /// Returns the same request with another method.
  package func by(_ method: HTTPMethod) -> Gather {
    Gather(purpose, at: url, method: method, isOwnOrigin: isOwnOrigin, redirects: redirects, hosting: hosting)
  }

  /// Whether the response is a diff.
  package var isDiff: Bool {
    if case .document(since: .some) = purpose { return true }
    return false
  }
}
