// SPDX-License-Identifier: Apache-2.0
//
// The differences between the kinds of sources: which request is sent, how a response is decoded and which part of it
// is signed. All other code is shared; a kind that needs an `if` elsewhere shows that something is missing here.

/// The rules of one source. Pure: no state, no clock, no I/O.
package protocol Dialect: Sendable {
  /// The text that identifies this source's data, including the trust policy; stored in its images.
  var identity: String { get }
  /// The identities under which data of this source may have been stored before, in any order. That data is read, and
  /// diffs are merged with it, until data is stored under `identity`.
  var earlierIdentities: [String] { get }
  /// The server whose backoff and clock floor apply; nil if the source has no server.
  var serverIdentity: String? { get }
  var policy: TrustPolicy { get }
  /// The rule for keys that are stored but hidden from readers.
  var hiding: HidingRule { get }
  /// The rule for replacing one version by another.
  var versions: VersionRule { get }
  /// The effect of a newer document on keys that it does not list.
  var updates: UpdateRule { get }
  /// Whether the first subscriber after opening receives an event.
  var openingEvent: OpeningEvent { get }
  /// The rules for finding the experiments of a client in the values; nil if the kind has no experiments.
  var experiments: ExperimentRules? { get }

  /// The name of the source in reports, errors and log lines.
  var label: SourceLabel { get }
  /// The rules for the references to attachments in values, and for their URLs on the server; nil if the kind has no
  /// attachments.
  var attachments: AttachmentRules? { get }
  /// Whether a caller may name the version that it expects, because the server accepts it in a request.
  var acceptsExpectedVersion: Bool { get }

  /// Returns the first request of a refresh: for the changes since a base, or for everything.
  ///
  /// - Parameter expected: The version that a push message contained, for example; it bypasses caches. 0 if unknown.
  func request(since base: Image?, expected: Int64) throws(RemoraError) -> Gather

  /// Returns the list of the server's source versions; nil if the server has no such list.
  ///
  /// - Parameter expected: The expected version of the list, as for `request`.
  func monitor(expected: Int64) throws(RemoraError) -> Monitor?

  func decodeMonitor(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) -> MonitorList

  /// Returns the request for the target of a redirect, if it may be followed.
  func redirect(_ location: String, of gather: Gather) throws(RemoraError) -> Gather

  /// Returns the request for a signature's certificate chain, if it may be fetched from its URL.
  func chain(of signature: ContentSignature) throws(RemoraError) -> Gather

  /// Returns the decoder for a response; strict: a document with one invalid entry is refused as a whole.
  func decoder() -> any DocumentDecoder

  /// Decodes a seed: as strictly as a response, and with everything needed to verify it.
  ///
  /// - Parameter source: The name of the document in messages.
  func decodeSeed(_ bytes: UnsafeRawBufferPointer, named source: String) throws(RemoraError) -> Document

  /// Returns the request for a seed; if the kind supports query items, they inform the server about the caller.
  ///
  /// - Parameter items: The query items.
  func seedRequest(telling items: [(name: String, value: String)]) throws(RemoraError) -> Gather

  /// Returns the rules of a tag, an additional dictionary of the same server; nil if the source has no tags.
  func tagged(_ tag: String) throws(RemoraError) -> (any Dialect)?

  /// Returns the SHA-384 of the content that a server would have signed for this draft.
  func signedDigest(of draft: Draft) throws(RemoraError) -> [UInt8]
}

extension Dialect {
  /// Decodes a complete document whose bytes stay in memory.
  package func decode(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) -> Document {
    try decoder().finish(DocumentText(bytes))
  }

  package func tagged(_ tag: String) throws(RemoraError) -> (any Dialect)? { nil }

  /// Returns the identity of the server, for an operation that needs one.
  func requireServer() throws(RemoraError) -> String {
    guard let serverIdentity else {
      throw .invalidArgument("source", "was opened without a URL, so it cannot be refreshed")
    }
    return serverIdentity
  }

  /// Returns the rules of attachments; throws if the source has no attachments.
  func requireAttachments() throws(RemoraError) -> AttachmentRules {
    guard let attachments else { throw .invalidArgument("source", "has no attachments: it is not a collection") }
    return attachments
  }
}

/// The keys of a base that are stored and hidden from readers.
package enum HidingRule: Sendable {
  /// Keys whose member of this name is an expression that does not evaluate to true.
  case filter(StaticString)
  /// Keys whose value is null: they count as missing. Later readers of the image must see that a document removed them.
  case nulls
}

/// The condition under which the first subscriber after opening receives an event.
package enum OpeningEvent: Sendable {
  case always
  /// Only if there is data, or default values.
  case withData

  /// Whether an event is sent for live data of this origin.
  package func comes(with origin: Origin) -> Bool {
    switch self {
    case .always: true
    case .withData: origin != .none
    }
  }
}

package enum SourceKind: Int32, Sendable {
  case collection = 1
  case bundle, settings

  package var word: StaticString {
    switch self {
    case .collection: "collection"
    case .bundle: "bundle"
    case .settings: "settings"
    }
  }
}

/// The name of a source in reports, errors and log lines.
package struct SourceLabel: Equatable, Sendable {
  package let kind: SourceKind
  /// The base URL of its server, or the origin of its URL; "" without a server.
  package let server: String
  /// Bucket and collection, as "main/regions"; else the URL without its query, with "#" and the tag or " " and the
  /// name.
  package let name: String

  /// The name of the source in a sentence.
  var text: String { "\(kind.word) \(name)" }
}

/// A server's list of source versions, and one source in that list. The list is not signed: it only decides which
/// requests are sent.
package struct Monitor: Sendable {
  /// The request; sources with the same URL share its response.
  package let gather: Gather
  /// The name of the source in the response.
  package let key: String
  /// The name of the monitor in reports.
  package let label: SourceLabel
}

/// The content of a monitor's response.
package struct MonitorList: Sendable {
  /// Versions by the names that sources have there.
  package let versions: [String: Int64]
  /// What was ignored, for the log.
  package let warnings: [String]
}

extension Dialect {
  /// All identities under which data of this source may have been stored, its own first.
  var identities: [String] { [identity] + earlierIdentities }
}

/// The rule by which the versions of a source are compared.
package enum VersionRule: Sendable, Equatable {
  /// Server timestamps: not below the last accepted one, not further ahead of the clock than so many milliseconds (nil
  /// means no limit), and with one content each.
  case timestamps(maximumFutureMs: Int64?)
  /// Manually incremented numbers: only a number above the live version is accepted, and above the version of the
  /// default values if they have one.
  case raised(above: Int64?)
  /// Times of fetches, for documents without a version: a document whose entries differ from the newest one is newer.
  case fetchTimes

  /// Whether a version is below the floor. Incremented numbers may be negative, so a floor of 0 means no floor.
  package func isBelow(_ version: Int64, floor: Int64) -> Bool {
    switch self {
    case .timestamps: version < floor
    case .fetchTimes: false
    case .raised: floor > 0 && version < floor
    }
  }
}
