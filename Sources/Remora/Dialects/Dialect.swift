// SPDX-License-Identifier: Apache-2.0
//
// All that differs between the kinds of sources: which request is sent, how an answer is decoded and what of it is
// signed. Everything else is written once; a kind that needs an `if` elsewhere is a mistake in this protocol.

/// The rules of one source. Pure: no state, no clock, no I/O.
package protocol Dialect: Sendable {
  /// All that tells this source's data from any other's, trust policy included; stored in its images.
  var identity: String { get }
  /// The server whose backoff and clock floor count.
  var serverIdentity: String { get }
  /// How answers are trusted.
  var policy: TrustPolicy { get }
  /// The member of a value that is the expression by which it is shown; nil when nothing is filtered.
  var filterMember: StaticString? { get }
  /// How far ahead of the clock a version may be, in ms; nil is any distance.
  var maximumFutureMs: Int64? { get }

  /// What the source is called in reports.
  var label: SourceLabel { get }

  /// The first request of a refresh: for the changes since a base, or for everything.
  ///
  /// - Parameter expected: The version that somebody announced, which only makes caches look anew; 0 when unknown.
  func request(since base: Image?, expected: Int64) throws(RemoraError) -> Gather

  /// Where the server lists the versions of its sources; nil when it does not.
  func monitor() throws(RemoraError) -> Monitor?

  /// The versions in the monitor's answer, by what the sources are called there.
  func decodeMonitor(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) -> [String: Int64]

  /// Where a redirect of a document leads, if it may be followed.
  func redirect(_ location: String, of gather: Gather) throws(RemoraError) -> Gather

  /// Where a signature's chain is, if it may be fetched from there.
  func chain(of signature: ContentSignature) throws(RemoraError) -> Gather

  /// Decodes a document; strict: one bad entry refuses it whole.
  func decode(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) -> Document

  /// The SHA-384 of what a server would have signed for this draft.
  func signedDigest(of draft: Draft) throws(RemoraError) -> [UInt8]
}

/// What a source is called in reports.
package struct SourceLabel: Equatable, Sendable {
  /// The base URL of its server.
  package let server: String
  package let bucket: String
  package let name: String
}

/// Where a server lists the versions of its sources, and one source in that list. The answer is not signed: it decides
/// what is asked for, and nothing else.
package struct Monitor: Sendable {
  /// The request; sources with the same URL share its answer.
  package let gather: Gather
  /// What the source is called in the answer.
  package let key: String
  /// What the monitor itself is called in reports.
  package let label: SourceLabel
}

/// One request of a refresh, and what its answer is for.
package struct Gather: Sendable, Equatable {
  /// What the answer is.
  package enum Purpose: Sendable, Equatable {
    /// A document: the changes since a version, or everything.
    case document(since: Int64?)
    /// The certificate chain of the signature that is being tried.
    case chain
  }

  package let purpose: Purpose
  package let url: ParsedURL
  /// The URL as it is sent.
  package let urlText: String
  /// Whether it goes to the source's own server.
  package let isOwnOrigin: Bool
  /// The redirects that led here.
  package let redirects: Int

  package init(_ purpose: Purpose, at url: ParsedURL, isOwnOrigin: Bool = true, redirects: Int = 0) {
    self.purpose = purpose
    self.url = url
    urlText = url.description
    self.isOwnOrigin = isOwnOrigin
    self.redirects = redirects
  }

  /// Whether the answer is a diff.
  package var isDiff: Bool {
    if case .document(since: .some) = purpose { return true }
    return false
  }
}
