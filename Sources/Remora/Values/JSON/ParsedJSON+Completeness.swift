// SPDX-License-Identifier: Apache-2.0
//
// Whether jansson has kept all bytes of the strings of a text. jansson ignores a failed allocation while it collects a
// string, and continues with a part of it missing. A number has no such check: the allocation of its value, which is as
// small as its text, would fail too, and jansson reports that.

internal import CJansson

/// Whether a parsed value has as many bytes in its strings and member names as its text. Allocates no memory.
///
/// - Parameter text: The text of the value, which jansson has accepted.
func isComplete(_ json: UnsafeMutablePointer<json_t>, parsedFrom text: UnsafeRawBufferPointer) -> Bool {
  stringBytes(of: json) == stringBytes(in: text)
}

private func stringBytes(of json: UnsafeMutablePointer<json_t>) -> Int {
  var count = 0
  switch json.pointee.type {
  case JSON_STRING: count = json_string_length(json)
  case JSON_ARRAY:
    for index in 0..<json_array_size(json) {
      if let element = json_array_get(json, index) { count &+= stringBytes(of: element) }
    }
  case JSON_OBJECT:
    var iterator = json_object_iter(json)
    while let current = iterator {
      count &+= json_object_iter_key_len(current)
      if let value = json_object_iter_value(current) { count &+= stringBytes(of: value) }
      iterator = json_object_iter_next(json, current)
    }
  default: break
  }
  return count
}

private func stringBytes(in text: UnsafeRawBufferPointer) -> Int {
  var (count, index) = (0, 0)
  var isInString = false
  while index < text.count {
    switch text[index] {
    case UInt8(ascii: "\""):
      isInString.toggle()
      index &+= 1
    case UInt8(ascii: "\\"):
      let (length, bytes) = escape(at: index, in: text)
      count &+= bytes
      index &+= length
    default:
      if isInString { count &+= 1 }
      index &+= 1
    }
  }
  return count
}

/// Returns the length of an escape sequence, or of the two of a surrogate pair, and the number of bytes in UTF-8.
private func escape(at index: Int, in text: UnsafeRawBufferPointer) -> (length: Int, bytes: Int) {
  guard index &+ 6 <= text.count, text[index &+ 1] == UInt8(ascii: "u") else { return (2, 1) }
  var unit: UInt32 = 0
  for digit in text[(index &+ 2)..<(index &+ 6)] { unit = unit << 4 | UInt32(digit & 15) &+ (digit > 0x39 ? 9 : 0) }
  switch unit {
  case ..<0x80: return (6, 1)
  case ..<0x800: return (6, 2)
  case 0xD800..<0xDC00: return (12, 4)
  default: return (6, 3)
  }
}
