// SPDX-License-Identifier: Apache-2.0
//
// Durations of the program in the core's milliseconds.

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

/// Converts the time limit of a call for the core: nil means no limit.
///
/// - Throws: `.invalidArgument` for a negative limit.
func limit(_ timeout: Duration?) throws(Remora.RemoraError) -> Int64 {
  guard let timeout else { return -1 }
  guard timeout >= .zero else { throw .invalidArgument("timeout_ms", "is negative") }
  return timeout.ms
}

/// Converts the time limit of an option for the core: nil means no limit.
///
/// - Parameter option: The option as it is named in the C header.
/// - Throws: `.invalidArgument` naming the option, unless the limit is positive.
func limit(_ limit: Duration?, of option: String) throws(Remora.RemoraError) -> Int64 {
  guard let limit else { return -1 }
  guard limit > .zero else { throw .invalidArgument(option, "must be positive") }
  return limit.ms
}
