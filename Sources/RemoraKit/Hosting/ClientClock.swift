// SPDX-License-Identifier: Apache-2.0
//
// The clock that a program supplies: replaces the machine's clocks for one client.

internal import Remora

/// A point in time on both clocks of a client.
public struct ClientTime: Hashable, Sendable {
  /// The wall-clock time in milliseconds since 1970 (UTC).
  public var wallMs: Int64
  /// A time in milliseconds from an arbitrary start. It must never decrease.
  public var monotonicMs: Int64

  /// Creates a point in time.
  public init(wallMs: Int64, monotonicMs: Int64) { (self.wallMs, self.monotonicMs) = (wallMs, monotonicMs) }
}

/// A clock that the program supplies. Use it in tests, or if the machine's time is wrong and the program knows the
/// right time.
///
/// A client reads the clock only when the client is created, and in `Client.clockChanged`. In between, time stands
/// still for the client: no timeout expires. The wall time determines freshness, schedules, backoffs and the validity
/// of certificates. The monotonic time determines the timeouts of calls. A client with its own clock logs a warning
/// when it is created, so that no test clock stays in a released program by mistake.
public protocol ClientClock: Sendable {
  /// The present time. Called on the thread that creates a client, or on a thread of Remora.
  var now: ClientTime { get }
}

extension Client {
  /// Makes all clients of the process read their clocks. Call this function when the time of a `ClientClock` has
  /// changed. Calls with an expired timeout then end, and due refreshes start, perhaps after this function has
  /// returned.
  ///
  /// This function waits for files, and for a running job of the thread `remora-engine`, outside the pool of Swift's
  /// tasks. Cancellation of the task does not interrupt it.
  public static func clockChanged() async {
    try? await outsideThePool { () throws(RemoraError) in ForkGate.inside { Remora.Client.readClocks(of: .shared) } }
  }
}

extension HostTime {
  /// Converts a point in time.
  init(_ time: ClientTime) { self.init(wallMs: time.wallMs, monotonicMs: time.monotonicMs) }
}
