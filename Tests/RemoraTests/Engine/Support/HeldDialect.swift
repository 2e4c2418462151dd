// SPDX-License-Identifier: Apache-2.0
//
// A dialect whose decoding stands still in the middle, until a test lets it go on.

@testable import Remora

/// Where the decoding of big bodies stands still.
final class DecodingHold: Sendable {
  private let state = Box((isHeld: false, isReleased: false))

  /// Waits until a body is being decoded.
  func waitUntilHeld() -> Bool { state.wait { $0.isHeld } }

  /// Ends the hold, for this body and all later ones.
  func release() { state.update { $0.isReleased = true } }

  fileprivate func pass(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 256 << 10 else { return }
    state.update { $0.isHeld = true }
    _ = state.wait { $0.isReleased }
  }
}

/// The rules of a collection, with a hold in the decoding.
struct HeldDialect: Dialect {
  let base: CollectionDialect
  let hold: DecodingHold
  /// Called when an image is compared with the live one: after its answer, and before it is live.
  var whenCompared: @Sendable () -> Void = {}

  var identity: String { base.identity }
  var earlierIdentities: [String] { base.earlierIdentities }
  var serverIdentity: String? { base.serverIdentity }
  var policy: TrustPolicy { base.policy }
  var hiding: HidingRule { base.hiding }
  var versions: VersionRule { base.versions }
  var updates: UpdateRule {
    whenCompared()
    return base.updates
  }
  var openingEvent: OpeningEvent { base.openingEvent }
  var experiments: ExperimentRules? { base.experiments }
  var label: SourceLabel { base.label }
  var attachments: AttachmentRules? { base.attachments }
  var acceptsExpectedVersion: Bool { base.acceptsExpectedVersion }

  func request(since image: Image?, expected: Int64) throws(RemoraError) -> Gather {
    try base.request(since: image, expected: expected)
  }

  func monitor(expected: Int64) throws(RemoraError) -> Monitor? { try base.monitor(expected: expected) }

  func decodeMonitor(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) -> MonitorList {
    try base.decodeMonitor(bytes)
  }

  func redirect(_ location: String, of gather: Gather) throws(RemoraError) -> Gather {
    try base.redirect(location, of: gather)
  }

  func chain(of signature: ContentSignature) throws(RemoraError) -> Gather { try base.chain(of: signature) }

  func decoder() -> any DocumentDecoder { HeldDecoder(base: base.decoder(), hold: hold) }

  func decodeSeed(_ bytes: UnsafeRawBufferPointer, named source: String) throws(RemoraError) -> Document {
    try base.decodeSeed(bytes, named: source)
  }

  func seedRequest(telling items: [(name: String, value: String)]) throws(RemoraError) -> Gather {
    try base.seedRequest(telling: items)
  }

  func signedDigest(of draft: Draft) throws(RemoraError) -> [UInt8] { try base.signedDigest(of: draft) }
}

/// A decoder with a hold before each step.
private final class HeldDecoder: DocumentDecoder {
  private let base: any DocumentDecoder
  private let hold: DecodingHold

  init(base: any DocumentDecoder, hold: DecodingHold) { (self.base, self.hold) = (base, hold) }

  func decode(_ text: DocumentText) throws(RemoraError) {
    hold.pass(text.bytes)
    try base.decode(text)
  }

  func finish(_ text: DocumentText) throws(RemoraError) -> Document {
    hold.pass(text.bytes)
    return try base.finish(text)
  }
}
