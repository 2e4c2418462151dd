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
    if let free { HostCalling.call { free(pointer) } }
  }
}
