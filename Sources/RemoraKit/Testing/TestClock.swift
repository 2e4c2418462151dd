// SPDX-License-Identifier: Apache-2.0
//
// A clock that a test moves.

internal import Synchronization

/// A clock for tests, which stands still until `advance`. Pass it as `clock` of a `Client.Configuration`.
///
/// Timeouts of calls, refresh intervals, `ttl` and backoffs follow the clock: a timeout expires only when another task
/// moves the clock. All functions may be called on any thread.
public final class TestClock: ClientClock {
  /// 1 January 2030.
  private static let defaultStartMs: Int64 = 1_893_456_000_000

  private let startMs: Int64
  private let passedMs = Mutex<Int64>(0)

  /// Creates a clock.
  ///
  /// - Parameter startMs: The first wall time, in milliseconds since 1970. Nil means 1 January 2030.
  public init(startMs: Int64? = nil) { self.startMs = startMs ?? Self.defaultStartMs }

  /// The present time.
  public var now: ClientTime {
    let passed = passedMs.withLock { $0 }
    return ClientTime(wallMs: startMs &+ passed, monotonicMs: passed)
  }

  /// Moves the clock forward, and makes all clients read their clocks: calls with an expired timeout end, and due
  /// refreshes start. A negative duration does not move the clock.
  ///
  /// May wait, like `Client.clockChanged`. Cancellation of the task does not interrupt it.
  public func advance(by duration: Duration) async {
    passedMs.withLock { $0 &+= max(duration.ms, 0) }
    await Client.clockChanged()
  }
}
