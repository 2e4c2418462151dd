// SPDX-License-Identifier: Apache-2.0
//
// Section "activation" of remora.h.

public import CRemora
internal import Remora

@_cdecl("remora_activate") @implementation
public func remora_activate(
  _ source: OpaquePointer?, _ snapshot: OpaquePointer?, _ out_outcome: UnsafeMutablePointer<Int32>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let judged = snapshot.map { borrow($0, as: SnapshotHandle.self).pointee.snapshot }
    let outcome = try source.activate(judged)
    out_outcome?.pointee = outcome.rawValue
  }
}

@_cdecl("remora_reject") @implementation
public func remora_reject(
  _ source: OpaquePointer?, _ snapshot: OpaquePointer?, _ reason: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let judged = try require(snapshot, "snapshot")
    try source.reject(borrow(judged, as: SnapshotHandle.self).pointee.snapshot, reason: text(reason, "reason"))
  }
}

@_cdecl("remora_freeze") @implementation
public func remora_freeze(_ source: OpaquePointer?, _ error: UnsafeMutablePointer<remora_error>?) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    try requireSource(source).freeze()
  }
}
