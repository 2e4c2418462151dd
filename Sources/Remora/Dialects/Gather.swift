// SPDX-License-Identifier: Apache-2.0
//
// What a path asks for: a document or a certificate chain.

/// One request of a refresh, and what its answer is for. It never changes, so that its many users share one.
package final class Gather: Sendable {
  /// What the answer is.
  package enum Purpose: Sendable, Equatable {
    /// A document: the changes since a version, or everything.
    case document(since: Int64?)
    /// The certificate chain of the signature that is being tried.
    case chain
  }

  package let purpose: Purpose
  package let method: HTTPMethod
  package let url: ParsedURL
  /// The URL as it is sent.
  package let urlText: String
  /// Whether it goes to the source's own server.
  package let isOwnOrigin: Bool
  /// The redirects that led here.
  package let redirects: Int
  /// What is accepted of the answer.
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

  /// The same by another method.
  package func by(_ method: HTTPMethod) -> Gather {
    Gather(purpose, at: url, method: method, isOwnOrigin: isOwnOrigin, redirects: redirects, hosting: hosting)
  }

  /// Whether the answer is a diff.
  package var isDiff: Bool {
    if case .document(since: .some) = purpose { return true }
    return false
  }
}
