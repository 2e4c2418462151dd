// SPDX-License-Identifier: Apache-2.0
//
// Runs a part of a test in a forked child, with the library's fork hooks around the fork as in a host.
// Only the forking thread lives in the child: no expectations there, only an exit status.

import CTestSupport
import Testing

@testable import Remora

extension Trait where Self == ConditionTrait {
  /// For tests that run Swift in a forked child.
  static var forks: Self { .enabled(if: test_swift_runs_in_children() != 0, "the sanitizer's locks outlive the fork") }
  /// For tests that look at the memory of the process.
  static var memory: Self { .enabled(if: test_memory_is_counted() != 0, "a sanitizer has memory of its own") }
  /// For tests of calls that are abandoned, as at exit: a leak checker counts what they held.
  static var abandoning: Self { .enabled(if: test_memory_is_counted() != 0, "an abandoned call counts as a leak") }
  /// For tests of much data, which would take minutes under a sanitizer and keep others waiting.
  static var heavy: Self { .enabled(if: test_memory_is_counted() != 0, "too much work under a sanitizer") }
}

/// A running child.
struct ForkedChild {
  private let id: Int32

  /// Forks; the child runs `body` and exits with its result, without any clean-up.
  init(_ body: @escaping () -> Int32) {
    var childsPart = body
    // A lazy global that another thread is making at the fork would never be ready in the child.
    _ = (source, otherSource, server)
    Runtime.shared.lock.withLock { Runtime.shared.handleForks($0) }
    id = withUnsafeMutablePointer(to: &childsPart) {
      test_fork({ $0?.assumingMemoryBound(to: (() -> Int32).self).pointee() ?? 127 }, $0)
    }
  }

  /// Waits for the end: the exit status, or 128 and the signal.
  func wait() -> Int32 { id < 0 ? -1 : test_wait(id) }

  /// Ends it with SIGKILL, wherever it is.
  func kill() { if id > 0 { test_kill(id) } }
}

/// The exit status of a forked child that ran `body`; 128 and more when a signal ended it.
func inForkedChild(_ body: @escaping () -> Int32) -> Int32 { ForkedChild(body).wait() }
