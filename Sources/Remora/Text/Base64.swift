// SPDX-License-Identifier: Apache-2.0
//
// Strict base64 in its two alphabets.
// Invariant: each byte string has one accepted text (two if padding is optional).

/// The two alphabets of RFC 4648, and their padding.
enum Base64 {
  /// `+` and `/`, padding required: PEM.
  case standard
  /// `-` and `_`, padding optional: signatures.
  case url

  /// Decodes a text; nil if it is not strict base64, for example because of white space or stray bits.
  func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    let body = text.prefix { $0 != UInt8(ascii: "=") }
    let padding = text[body.endIndex...]
    let expected = (4 - body.count % 4) % 4
    guard expected < 3, padding.allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
    guard padding.count == expected || (self == .url && padding.isEmpty) else { return nil }

    var bytes: [UInt8] = []
    bytes.reserveCapacity(body.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var count = 0
    for character in body {
      guard let value = value(of: character) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        bits &= 1 << count - 1
      }
    }
    return bits == 0 ? bytes : nil
  }

  /// Returns the six bits of a character.
  private func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case self == .url ? UInt8(ascii: "-") : UInt8(ascii: "+"): 62
    case self == .url ? UInt8(ascii: "_") : UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
