// SPDX-License-Identifier: Apache-2.0
//
// Section "explain" of remora.h.

public import CRemora
internal import Remora

@_cdecl("remora_explain") @implementation
public func remora_explain(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?, _ flags: UInt32,
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ out_length: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let target = try textTarget(buffer, size)
    let isText = try hasFlag(REMORA_EXPLAIN_TEXT, in: flags)
    let explanation = try source.explain(keyBytes(key), pointerBytes(pointer))
    let text = isText ? Array(explanation.screen.utf8) : try explanation.json()
    let length = text.withUnsafeBytes { copyText($0, to: target) }
    out_length?.pointee = length
  }
}
