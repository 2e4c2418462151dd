// SPDX-License-Identifier: Apache-2.0
//
// The handle of a source. The host and subscriptions own it together.

internal import Glibc
internal import Remora

/// The content of a source handle. It contains the getters, so that reads touch no reference count. A handle is owned
/// by the host, until the host closes it, and by each `OwnedSourceHandle`. A subscription, for example, has one,
/// because its events contain the handle.
struct SourceHandle: ~Copyable {
  let getters: SourceGetters
  let opened: OpenSource
  /// The name and the server as C strings; NULL if memory has run out.
  let name: UnsafeMutablePointer<CChar>?
  let server: UnsafeMutablePointer<CChar>?

  init(_ opened: OpenSource) {
    self.opened = opened
    getters = SourceGetters(opened.source)
    name = strdup(opened.source.label.name)
    server = strdup(opened.source.label.server)
  }

  deinit {
    free(name)
    free(server)
  }

  var source: Source { opened.source }

  /// Creates a handle that the host owns.
  static func make(_ opened: OpenSource) -> OpaquePointer { exportShared(SourceHandle(opened)) }
}

/// An owner of a source handle, such as the subscription that was made with it. The handle outlives a close inside the
/// callback.
///
/// `@unchecked Sendable`: the address is constant, and this object is an owner of the memory.
final class OwnedSourceHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    retain(pointer, as: SourceHandle.self)
  }

  deinit { release(pointer, as: SourceHandle.self) }

  var core: Source {
    let handle = borrow(pointer, as: SourceHandle.self)
    return handle.pointee.source
  }

  var label: SourceLabel { core.label }
}
