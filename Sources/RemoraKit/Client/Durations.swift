// SPDX-License-Identifier: Apache-2.0
//
// Durations of a host in the core's milliseconds.

internal import Remora

extension Duration {
  /// The duration in milliseconds, rounded up and limited to the range of the type.
  var ms: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
    guard !isTooLong else { return seconds < 0 ? .min : .max }
    let perMillisecond: Int64 = 1_000_000_000_000_000
    let part = attoseconds / perMillisecond + (attoseconds % perMillisecond > 0 ? 1 : 0)
    return whole.addingClamped(part)
  }
}

/// Returns a time limit of a caller for the core: nil means no limit.
///
/// - Throws: `.invalidArgument` for a negative limit.
func limit(_ timeout: Duration?) throws(Remora.RemoraError) -> Int64 {
  guard let timeout else { return -1 }
  guard timeout >= .zero else { throw .invalidArgument("timeout", "is negative") }
  return timeout.ms
}

/// Returns a duration of an option for the core.
///
/// - Throws: `.invalidArgument` naming the option, unless the duration is positive.
func positive(_ duration: Duration, _ name: String) throws(Remora.RemoraError) -> Int64 {
  guard duration > .zero else { throw .invalidArgument(name, "must be positive") }
  return duration.ms
}
