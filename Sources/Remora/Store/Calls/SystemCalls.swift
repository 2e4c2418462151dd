// SPDX-License-Identifier: Apache-2.0
//
// The system calls of the store, in tables so that a test can make any of them fail. There are no retries or decisions
// here.

/// The system calls of the store. Tests provide their own.
package struct SystemCalls: Sendable {
  /// The calls of the operating system.
  package static var real: SystemCalls { SystemCalls() }

  /// The calls that use a path, or a name in a directory.
  package var directories = DirectoryCalls()
  /// The calls that use an open file.
  package var files = FileCalls()
  /// An unpredictable number.
  package var randomNumber: @Sendable () -> UInt64 = { .random(in: .min ... .max) }
  /// The wall clock for file timestamps, in milliseconds since 1970.
  package var nowMs: @Sendable () -> Int64 = { SystemClock().nowMs }
}
