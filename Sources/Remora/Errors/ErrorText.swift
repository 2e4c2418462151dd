// SPDX-License-Identifier: Apache-2.0
//
// The operating system's messages for error numbers.

internal import CSupport

/// Returns the system's message for `number`. Safe in any thread.
package func errorText(_ number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  remora_error_text(number, &buffer, buffer.count)
  return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
