// SPDX-License-Identifier: Apache-2.0
//
// What is remembered about a source and about a server between refreshes, runs and processes.
// Ledgers are hints: images are the truth, and the default values mean that nothing is known.

/// What is remembered about one source.
package struct SourceLedger: Equatable, Sendable {
  /// The longest ETag that is kept, in bytes; a longer one is forgotten, and requests are unconditional.
  package static var maximumEtag: Int { 255 }

  /// Raised at each change of the images, so that other processes look at them.
  package var generation: UInt64 = 0
  /// Raised by a reset; floors are compared as (epoch, floor).
  package var epoch: UInt64 = 0
  /// The highest accepted timestamp.
  package var floor: Int64 = 0
  /// When a request was last made, in milliseconds since 1970.
  package var lastAttemptMs: Int64 = 0
  /// When a request last succeeded, in milliseconds since 1970.
  package var lastSuccessMs: Int64 = 0
  /// The ETag of the last full answer.
  package var etag = ""
  /// The hash of the URL that the ETag was given for.
  package var etagURL: UInt64 = 0
  /// The checksum of the image that the ETag stands for.
  package var etagImage: UInt64 = 0
  /// Drawn at each attempt: which part of the interval passes until the next automatic one, the same for all processes.
  package var jitter: UInt32 = 0
  /// Attempts that failed since the last success.
  package var failures: UInt32 = 0
  /// Until when the server said that its last answer is fresh, in milliseconds since 1970; 0 when it did not.
  package var freshUntilMs: Int64 = 0

  /// Nothing is known.
  package init() {}
}

/// What is remembered about one server, by all sources that use it.
package struct ServerLedger: Equatable, Sendable {
  /// No request before this time, in milliseconds since 1970.
  package var backoffUntilMs: Int64 = 0
  /// The latest time that was verified; the wall clock is not believed below it.
  package var clockFloorMs: Int64 = 0

  /// Nothing is known.
  package init() {}
}

/// A ledger as the fields of a slot, always in the same order.
protocol LedgerFields: Equatable, Sendable {
  /// Tells the kinds of ledger apart in a slot; never used again for another.
  static var kind: UInt32 { get }
  init()
  /// Visits every field: to read it from the slot, or to write it there.
  mutating func visit(_ slot: inout LedgerSlot)
  /// Whether it may be written over what is stored.
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
  }
}

extension ServerLedger: LedgerFields {
  static var kind: UInt32 { 2 }

  func mayFollow(_ stored: ServerLedger) -> Bool { true }

  mutating func visit(_ slot: inout LedgerSlot) {
    slot.field(&backoffUntilMs)
    slot.field(&clockFloorMs)
  }
}
