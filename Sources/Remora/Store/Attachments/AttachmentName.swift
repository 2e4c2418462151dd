// SPDX-License-Identifier: Apache-2.0
//
// The identity of an attachment: its SHA-256.
// Invariant: 64 lower-case hexadecimal digits.

/// The SHA-256 of an attachment, in the form that its file names use.
package struct AttachmentName: Hashable, Sendable {
  package let hex: String

  /// Creates a name from the 32 bytes of a digest; nil for any other number of bytes.
  package init?(digest: [UInt8]) {
    guard digest.count == 32 else { return nil }
    hex = hexText(digest)
  }

  /// Creates a name from 64 hexadecimal digits of either case; nil for any other text.
  package init?(hex64 text: String) {
    let lower = text.lowercased()
    guard isHex(lower, digits: 64) else { return nil }
    hex = lower
  }

  /// The name under which the attachment's files are locked.
  package var storageName: StorageName { StorageName(hashing: "attachment \(hex)") }
}
