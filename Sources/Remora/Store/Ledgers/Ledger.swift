// SPDX-License-Identifier: Apache-2.0
//
// The data about a source and about a server that is kept between refreshes and processes. Ledgers are hints: the
// images are authoritative, and default values mean "unknown".

package struct SourceLedger: Equatable, Sendable {
  /// The longest ETag that is stored, in bytes. With a longer one, requests are unconditional.
  package static var maximumEtag: Int { 255 }

  /// Incremented at each change of the images, so that other processes check them.
  package var generation: UInt64 = 0
  /// Incremented by a reset; floors are compared as (epoch, floor).
  package var epoch: UInt64 = 0
  /// The highest version that was accepted in this epoch; lower ones are not used.
  package var floor: Int64 = 0
  /// The time of the last request, in milliseconds since 1970.
  package var lastAttemptMs: Int64 = 0
  /// The time of the last successful request, in milliseconds since 1970.
  package var lastSuccessMs: Int64 = 0
  /// The ETag of the last full response.
  package var etag = ""
  /// The hash of the URL to which the ETag belongs.
  package var etagURL: UInt64 = 0
  /// The checksum of the image to which the ETag and the signature belong.
  package var etagImage: UInt64 = 0
  /// The signature that was verified last for that image.
  package var signature = KnownSignature()
  /// Whether the server ignores `_since`, so that the whole collection is requested.
  package var ignoresSince = false
  /// A random number, drawn at each attempt, that decides how much of the interval passes until the next automatic
  /// attempt. All processes share it.
  package var jitter: UInt32 = 0
  /// The number of failed attempts since the last success.
  package var failures: UInt32 = 0
  /// The time until which the server declared its last response fresh, in milliseconds since 1970; 0 if it did not.
  package var freshUntilMs: Int64 = 0
  /// The lifetime that the server stated for its last response, without the age of the response; 0 if it did not.
  package var maxAgeMs: Int64 = 0

  package init() {}
}

/// A signature that was verified for the content of an image.
package struct KnownSignature: Equatable, Sendable {
  /// The hash of its text: it is compared, and never verified again.
  package var hash: UInt64
  /// The time at which its certificate chain expires, in milliseconds since 1970; 0 if there is no such signature.
  package var validUntilMs: Int64

  package init(hash: UInt64 = 0, validUntilMs: Int64 = 0) {
    self.hash = hash
    self.validUntilMs = validUntilMs
  }
}

/// The ledger of one server, shared by all sources that use it.
package struct ServerLedger: Equatable, Sendable {
  package var backoff = Backoff()
  /// The latest verified time, in milliseconds since 1970. A wall clock that shows an earlier time is known to be
  /// wrong.
  package var clockFloorMs: Int64 = 0

  package init() {}
}

/// A pause that a server requested: no request is sent until it ends.
package struct Backoff: Equatable, Sendable {
  /// The time at which it was requested, in milliseconds since 1970.
  package var fromMs: Int64 = 0
  /// The time at which it ends, in milliseconds since 1970.
  package var untilMs: Int64 = 0

  package init() {}

  /// The time for which it was requested.
  var lengthMs: Int64 { untilMs &- fromMs }

  /// Creates a pause that begins now.
  package init(lengthMs: Int64, nowMs: Int64) {
    fromMs = nowMs
    untilMs = nowMs.addingClamped(lengthMs)
  }
}

/// A ledger whose fields are read from and written to a slot, always in the same order.
protocol LedgerFields: Equatable, Sendable {
  /// Identifies the kind of ledger in a slot; never reused for another kind.
  static var kind: UInt32 { get }
  init()
  /// Visits every field: to read it from the slot, or to write it there.
  mutating func visit(_ slot: inout LedgerSlot)
  /// Whether it may overwrite the stored ledger.
  func mayFollow(_ stored: Self) -> Bool
}

extension SourceLedger: LedgerFields {
  static var kind: UInt32 { 1 }

  func mayFollow(_ stored: SourceLedger) -> Bool { epoch >= stored.epoch }

  mutating func visit(_ slot: inout LedgerSlot) {
    slot.field(&generation)
    slot.field(&epoch)
    slot.field(&floor)
    slot.field(&lastAttemptMs)
    slot.field(&lastSuccessMs)
    slot.field(&etagURL)
    slot.field(&etagImage)
    slot.field(&etag, maximum: Self.maximumEtag)
    slot.field(&jitter)
    slot.field(&failures)
    slot.field(&freshUntilMs)
    slot.field(&signature.hash)
    slot.field(&signature.validUntilMs)
    slot.field(&ignoresSince)
    slot.field(&maxAgeMs)
  }
}

extension ServerLedger: LedgerFields {
  static var kind: UInt32 { 2 }

  func mayFollow(_ stored: ServerLedger) -> Bool { true }

  mutating func visit(_ slot: inout LedgerSlot) {
    slot.field(&backoff.untilMs)
    slot.field(&clockFloorMs)
    slot.field(&backoff.fromMs)
  }
}
