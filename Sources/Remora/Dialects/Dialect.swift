// SPDX-License-Identifier: Apache-2.0
//
// All that differs between the kinds of sources: which request is sent, how an answer is decoded and what of it is
// signed. Everything else is written once; a kind that needs an `if` elsewhere is a mistake in this protocol.

/// The rules of one source. Pure: no state, no clock, no I/O.
package protocol Dialect: Sendable {
  /// All that tells this source's data from any other's, trust policy included; stored in its images.
  var identity: String { get }
  /// Under what the same source was stored before, in any order: read, and diffs merged with, until something is stored
  /// under `identity`.
  var earlierIdentities: [String] { get }
  /// The server whose backoff and clock floor count; nil when there is no server to ask.
  var serverIdentity: String? { get }
  /// How answers are trusted.
  var policy: TrustPolicy { get }
  /// Which keys are kept and not shown.
  var hiding: HidingRule { get }
  /// Which versions may follow which.
  var versions: VersionRule { get }
  /// What a newer document does to keys that it does not list.
  var updates: UpdateRule { get }
  /// When the first subscriber of an opening gets an event.
  var openingEvent: OpeningEvent { get }
  /// How its values say which experiments a client is part of; nil when they do not.
  var experiments: ExperimentRules? { get }

  /// What the source is called in reports, errors and log lines.
  var label: SourceLabel { get }
  /// How its values name attachments, and where the server has these; nil when there are none.
  var attachments: AttachmentRules? { get }

  /// The first request of a refresh: for the changes since a base, or for everything.
  ///
  /// - Parameter expected: The version that somebody announced, which only makes caches look anew; 0 when unknown.
  func request(since base: Image?, expected: Int64) throws(RemoraError) -> Gather

  /// Where the server lists the versions of its sources; nil when it does not.
  ///
  /// - Parameter expected: As for `request`, the version of the list.
  func monitor(expected: Int64) throws(RemoraError) -> Monitor?

  /// The versions in the monitor's answer, by what the sources are called there.
  func decodeMonitor(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) -> [String: Int64]

  /// Where a redirect of a document leads, if it may be followed.
  func redirect(_ location: String, of gather: Gather) throws(RemoraError) -> Gather

  /// Where a signature's chain is, if it may be fetched from there.
  func chain(of signature: ContentSignature) throws(RemoraError) -> Gather

  /// Decodes a document; strict: one bad entry refuses it whole.
  func decode(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) -> Document

  /// Decodes what is to be a seed: as strict as an answer, and with all that its verification needs.
  ///
  /// - Parameter source: What it is, for sentences.
  func decodeSeed(_ bytes: UnsafeRawBufferPointer, named source: String) throws(RemoraError) -> Document

  /// The request for a seed, which tells the server who asks where it can.
  ///
  /// - Parameter items: What to tell, as query items.
  func seedRequest(telling items: [(name: String, value: String)]) throws(RemoraError) -> Gather

  /// The SHA-384 of what a server would have signed for this draft.
  func signedDigest(of draft: Draft) throws(RemoraError) -> [UInt8]
}

extension Dialect {
  /// The identity of the server, for an operation that needs one.
  func requireServer() throws(RemoraError) -> String {
    guard let serverIdentity else { throw .invalidArgument("source", "has no url to refresh from") }
    return serverIdentity
  }

  /// The rules of attachments, for who wants one.
  func requireAttachments() throws(RemoraError) -> AttachmentRules {
    guard let attachments else { throw .invalidArgument("source", "has no attachments: it is no collection") }
    return attachments
  }
}

/// Which keys of a base are kept and not shown.
package enum HidingRule: Sendable {
  case nothing
  /// Those whose member of this name is an expression that does not give true.
  case filter(StaticString)
  /// Those whose value is null: a document removed them, and who reads it later must know.
  case nulls
}

/// When the first subscriber of an opening gets an event.
package enum OpeningEvent: Sendable {
  case always
  /// Not while there is neither data nor defaults.
  case withData

  /// Whether there is an event for live data of this origin.
  package func comes(with origin: Origin) -> Bool {
    switch self {
    case .always: true
    case .withData: origin != .none
    }
  }
}

/// The kinds of sources.
package enum SourceKind: Int32, Sendable {
  case collection = 1
  case bundle, settings

  var word: StaticString {
    switch self {
    case .collection: "collection"
    case .bundle: "bundle"
    case .settings: "settings"
    }
  }
}

/// What a source is called in reports, errors and log lines.
package struct SourceLabel: Equatable, Sendable {
  package let kind: SourceKind
  /// The base URL of its server, or the origin of its URL; "" without a server.
  package let server: String
  /// Bucket and collection, as "main/regions"; else the URL without its query, with "#" and the tag or " " and the name.
  package let name: String

  /// What it is called in a sentence.
  var text: String { "\(kind.word) \(name)" }
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
