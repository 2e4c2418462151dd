// SPDX-License-Identifier: Apache-2.0
//
// The digits that begin the names of a source's files. External text never becomes part of a path, only its hash.

/// The name that the files of one source, or of one server, share: 32 lower-case hexadecimal digits.
package struct StorageName: Hashable, Sendable {
  package let hex: String
  /// The byte of the lock file that is locked for this name.
  package let lockByte: Int64

  package init(hashing identity: String) {
    var text = identity
    self.init(digits: text.withUTF8 { hash128Hex(UnsafeRawBufferPointer($0)) })
  }

  /// Creates a name from digits made by `hash128Hex`; nil for any other text.
  package init?(hex32: String) {
    guard isHex(hex32, digits: 32) else { return nil }
    self.init(digits: hex32)
  }

  private init(digits: String) {
    hex = digits
    var text = digits
    lockByte = Int64(text.withUTF8 { hash64(UnsafeRawBufferPointer($0)) } % (1 << 30))
  }

  /// The name under which overrides are locked. It differs from the source's own, which a refresh holds during its
  /// requests.
  package var ofOverrides: StorageName { StorageName(hashing: "\(hex).overrides") }

  /// The name under which the seed is locked, so that an installer does not wait for a refresh.
  package var ofSeed: StorageName { StorageName(hashing: "\(hex).seed") }

  /// The name under which the image of packaged data is locked, so that an opening can store it during a refresh.
  package var ofPackaged: StorageName { StorageName(hashing: "\(hex).packaged") }
}

/// Whether a text consists of `digits` lower-case hexadecimal digits.
func isHex(_ text: String, digits: Int) -> Bool {
  text.utf8.count == digits && text.utf8.allSatisfy("0123456789abcdef".utf8.contains)
}
