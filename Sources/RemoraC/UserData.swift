// SPDX-License-Identifier: Apache-2.0
//
// The pointer that a host registers with a callback, and its way back: exactly once, with the last reference, which
// the core lets go outside of its lock and after the last call.

internal import Remora

/// A host's pointer with its destructor.
///
/// `@unchecked Sendable`: constants; the host answers for the use of its pointer on any thread.
final class UserData: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer?
  private let free: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

  init(_ pointer: UnsafeMutableRawPointer?, _ free: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?) {
    self.pointer = pointer
    self.free = free
  }

  deinit { free?(pointer) }

  /// At the end of a call that waited on a thread of the host's: the process's exit ends such waits, and by then the
  /// code behind `free` may be gone.
  func leakIfExiting() {
    if free != nil, Runtime.shared.isExiting { leak(self) }
  }
}
