// SPDX-License-Identifier: Apache-2.0
//
// Section "host loop" of remora.h.

public import CRemora
internal import Remora

@_cdecl("remora_client_get_fd") @implementation
public func remora_client_get_fd(
  _ client: OpaquePointer?, _ out_fd: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let client = borrow(try require(client, "client"), as: Client.self).pointee
    let out = try require(out_fd, "out_fd")
    out.pointee = try client.descriptor()
  }
}

@_cdecl("remora_dispatch") @implementation
public func remora_dispatch(
  _ client: OpaquePointer?, _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    // Keeps its own reference to `delivery`, because a callback may close the client and free the client's handle.
    let delivery = borrow(try require(client, "client"), as: Client.self).pointee.delivery
    let count = try delivery.dispatch()
    out_count?.pointee = count
  }
}
