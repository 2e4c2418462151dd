// SPDX-License-Identifier: Apache-2.0
//
// The fingerprint of the root certificate that a signer must chain to.
// Invariant: always 32 bytes.

/// The SHA-256 of a root certificate in DER.
package struct RootPin: Sendable, Equatable, CustomStringConvertible {
  /// The 32 bytes.
  package let bytes: [UInt8]

  /// Parses 64 hex digits of either case; colons between bytes are allowed.
  ///
  /// - Throws: `.invalidArgument` naming the option.
  package init(hex: String, as option: String = "root_sha256") throws(RemoraError) {
    var digits: [UInt8] = []
    var colonAllowed = false
    for character in hex.utf8 {
      if let digit = hexValue(character) {
        digits.append(digit)
        colonAllowed = digits.count % 2 == 0
      } else if character == UInt8(ascii: ":"), colonAllowed {
        colonAllowed = false
      } else {
        throw .invalidArgument(option, "must consist of hexadecimal digits, with or without colons between bytes")
      }
      guard digits.count <= 64 else { break }
    }
    guard digits.count == 64, colonAllowed else {
      throw .invalidArgument(option, "must have 64 hexadecimal digits")
    }
    bytes = stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// Computes the pin of a certificate.
  ///
  /// - Throws: `.unavailable` if libcrypto is not loaded.
  package init(ofCertificate der: [UInt8]) throws(RemoraError) {
    let digest = try MessageDigest.sha256(der)
    guard digest.count == 32 else {
      throw RemoraError(.unavailable, "the SHA-256 of the root certificate cannot be computed")
    }
    bytes = digest
  }

  /// Creates a pin from 32 bytes.
  private init(bytes: [UInt8]) { self.bytes = bytes }

  package var description: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// Appends upper-case hex with colons, as `openssl x509 -fingerprint` and the reference implementation print it.
  package func write(to text: inout String) {
    for index in bytes.indices {
      if index > 0 { text += ":" }
      text.unicodeScalars.append(upperHexDigit(bytes[index] >> 4))
      text.unicodeScalars.append(upperHexDigit(bytes[index] & 15))
    }
  }

  // Computed properties: a lazy global could be under initialisation in another thread during a fork.

  /// The root of Mozilla's production signers.
  package static var production: RootPin {
    RootPin(bytes: [
      0xC8, 0xA8, 0x0E, 0x9A, 0xFA, 0xEF, 0x4E, 0x21, 0x9B, 0x6F, 0xB5, 0xD7, 0xA7, 0x1D, 0x0F, 0x10,
      0x12, 0x23, 0xBA, 0xC5, 0x00, 0x1A, 0xC2, 0x8F, 0x9B, 0x0D, 0x43, 0xDC, 0x59, 0xA1, 0x06, 0xDB,
    ])
  }

  /// The root of Mozilla's stage and development signers, which is also the default for custom servers.
  package static var nonProduction: RootPin {
    RootPin(bytes: [
      0x3C, 0x01, 0x44, 0x6A, 0xBE, 0x90, 0x36, 0xCE, 0xA9, 0xA0, 0x9A, 0xCA, 0xA3, 0xA5, 0x20, 0xAC,
      0x62, 0x8F, 0x20, 0xA7, 0xAE, 0x32, 0xCE, 0x86, 0x1C, 0xB2, 0xEF, 0xB7, 0x0F, 0xA0, 0xC7, 0x45,
    ])
  }
}

/// Returns the hex digit of a value below 16.
private func upperHexDigit(_ value: UInt8) -> Unicode.Scalar {
  Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10)
}
