// SPDX-License-Identifier: Apache-2.0
//
// Section "context" of remora.h: evaluating an expression without a client.

public import CRemora
internal import Remora

@_cdecl("remora_filter_matches") @implementation
public func remora_filter_matches(
  _ expression: UnsafePointer<CChar>?, _ context_json: UnsafePointer<CChar>?,
  _ out_matches: UnsafeMutablePointer<remora_bool>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let expression = try require(try text(expression, "expression"), "expression")
    let context = try text(context_json, "context_json")
    let out = try require(out_matches, "out_matches")
    out.pointee = try RecordFilter.matches(expression, inContext: context) ? 1 : 0
  }
}
