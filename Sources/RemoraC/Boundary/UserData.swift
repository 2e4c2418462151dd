// SPDX-License-Identifier: Apache-2.0
//
// The pointer that a host registers with a callback. The host's destructor is called exactly once: after the last call,
// with no lock held.

internal import Remora

/// A host's pointer with its destructor.
///
/// `@unchecked Sendable`: its properties are constants; the host is responsible for using its pointer on any thread.
final class UserData: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer?
  private let free: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

  init(_ pointer: UnsafeMutableRawPointer?, _ free: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?) {
    self.pointer = pointer
    self.free = free
  }

  deinit {
    if let free { ForkGate.outside { free(pointer) } }
  }

  /// Leaks the object, so that `free` is not called, if the process is exiting. Called at the end of a wait on a host
  /// thread: the exit of the process ends such waits, and the code of `free` may no longer exist by then.
  func leakIfExiting() {
    if free != nil, Runtime.shared.isExiting { leak(self) }
  }
}
