// SPDX-License-Identifier: Apache-2.0
//
// The operating system's words for an error number.

internal import CSupport

/// The system's sentence for `number`, safe from any thread.
package func errorText(_ number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  remora_error_text(number, &buffer, buffer.count)
  return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
