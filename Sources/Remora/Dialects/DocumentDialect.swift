// SPDX-License-Identifier: Apache-2.0
//
// The common rules of sources that are one JSON document at a URL: no signatures, diffs, filters, attachments or
// monitor.

/// The rules of a source that is one document.
package protocol DocumentDialect: Dialect {
  /// The URL of the document; nil for a source that is never fetched.
  var document: DocumentURL? { get }

  /// Returns the decoder for a document; `source` is its name in messages.
  func decoder(named source: String) -> any DocumentDecoder
}

extension DocumentDialect {
  package var earlierIdentities: [String] { [] }
  package var serverIdentity: String? { document?.serverIdentity }
  package var policy: TrustPolicy { .off }
  package var attachments: AttachmentRules? { nil }
  package var acceptsExpectedVersion: Bool { false }

  package func request(since base: Image?, expected: Int64) throws(RemoraError) -> Gather {
    try requireDocument().gather
  }

  /// Returns the request of every refresh: only settings describe the application in the request of an installer.
  package func seedRequest(telling items: [(name: String, value: String)]) throws(RemoraError) -> Gather {
    try requireDocument().gather
  }

  package func decodeSeed(
    _ bytes: UnsafeRawBufferPointer, named source: String
  ) throws(RemoraError) -> Document {
    try decoder(named: source).finish(DocumentText(bytes))
  }

  package func redirect(_ location: String, of gather: Gather) throws(RemoraError) -> Gather {
    try requireDocument().redirect(location, of: gather)
  }

  package func monitor(expected: Int64) throws(RemoraError) -> Monitor? { nil }

  package func decodeMonitor(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) -> MonitorList {
    throw .bug("a list of versions was requested for a source that is not a collection")
  }

  package func chain(of signature: ContentSignature) throws(RemoraError) -> Gather {
    throw Self.unsigned
  }

  package func signedDigest(of draft: Draft) throws(RemoraError) -> [UInt8] {
    throw Self.unsigned
  }

  private static var unsigned: RemoraError {
    .bug("a signature was required of a source that is not a collection")
  }

  func requireDocument() throws(RemoraError) -> DocumentURL {
    guard let document else { throw .invalidArgument("url", "was not set, so the source cannot be refreshed") }
    return document
  }
}
