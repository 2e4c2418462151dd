// SPDX-License-Identifier: Apache-2.0
//
// What an attachment is known by: its SHA-256. Invariant: 64 lower-case hexadecimal digits.

/// The SHA-256 of an attachment, as its files are named.
package struct AttachmentName: Hashable, Sendable {
  /// The digits.
  package let hex: String

  /// Takes the 32 bytes of a digest; nil for any other number of bytes.
  package init?(digest: [UInt8]) {
    guard digest.count == 32 else { return nil }
    hex = hexText(digest)
  }

  /// Takes 64 digits of either case; nil when the text is anything else.
  package init?(hex64 text: String) {
    let lower = text.lowercased()
    guard isHex(lower, digits: 64) else { return nil }
    hex = lower
  }

  /// What the lock of the attachment's files is taken by.
  package var storageName: StorageName { StorageName(hashing: "attachment \(hex)") }
}
