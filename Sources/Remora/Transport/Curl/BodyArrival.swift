// SPDX-License-Identifier: Apache-2.0
//
// Decides when the part of a large body that has arrived is reported, so that it can be decoded meanwhile.

/// The reports about one body.
struct BodyArrival {
  /// The number of bytes between two reports.
  private static var piece: Int { 128 << 10 }

  /// Receives the part that has arrived.
  let report: @Sendable (ReceivedBody) -> Void
  /// The number of bytes of the body from which it is reported next.
  private var next = HTTPResponse.mostSmallBytes + 1

  init(report: @escaping @Sendable (ReceivedBody) -> Void) { self.report = report }

  /// Whether a body of `count` bytes is to be reported.
  mutating func isDue(_ count: Int) -> Bool {
    guard count >= next else { return false }
    next = count + Self.piece
    return true
  }
}
