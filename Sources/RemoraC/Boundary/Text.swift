// SPDX-License-Identifier: Apache-2.0
//
// Copies texts to buffers of the caller.

internal import Glibc
internal import Remora

/// Copies text as snprintf does, but truncates it at a character boundary. Returns the length of the whole text.
func copyText(_ text: UnsafeRawBufferPointer, to buffer: UnsafeMutableRawBufferPointer) -> Int {
  guard buffer.count > 0 else { return text.count }
  var length = min(text.count, buffer.count - 1)
  if length < text.count {
    // If the first byte that is cut off is a continuation byte, the cut is inside a character.
    while length > 0, text[length] & 0xC0 == 0x80 { length -= 1 }
  }
  buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[..<length]))
  buffer[length] = 0
  return text.count
}

/// Returns the buffer of a caller, which may be NULL only if its size is 0.
func textTarget(_ buffer: UnsafeMutablePointer<CChar>?, _ size: Int) throws(RemoraError)
  -> UnsafeMutableRawBufferPointer
{
  guard buffer != nil || size == 0 else {
    throw .invalidArgument("buffer", "must not be NULL, because its size is not 0")
  }
  guard size >= 0 else { throw .invalidArgument("size", "is too large for a buffer") }
  return UnsafeMutableRawBufferPointer(start: buffer, count: size)
}

/// Copies the text that `read` passes to its argument, or else the caller's default. Returns the length of the whole
/// text.
@inline(__always)
func copyText(
  to buffer: UnsafeMutablePointer<CChar>?, _ size: Int, default defaultValue: UnsafePointer<CChar>?,
  _ read: ((UnsafeRawBufferPointer) -> Int) -> Int?
) -> Int {
  // A size_t above Int.max is negative here. No address is as large as the number that replaces it.
  let target = UnsafeMutableRawBufferPointer(start: buffer, count: buffer == nil ? 0 : size < 0 ? 1 << 62 : size)
  if let length = read({ copyText($0, to: target) }) { return length }
  return copyText(
    UnsafeRawBufferPointer(start: defaultValue, count: defaultValue.map { strlen($0) } ?? 0), to: target)
}

/// Copies the canonical JSON of a value. Returns the length of the whole text.
func copyJSON(_ value: Value, to target: UnsafeMutableRawBufferPointer) throws(RemoraError) -> Int {
  try value.withCanonicalText { copyText($0, to: target) }
}
