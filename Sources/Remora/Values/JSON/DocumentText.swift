// SPDX-License-Identifier: Apache-2.0
//
// The text of a document while it is decoded from its beginning to its end.

/// The bytes of a document, and the body that contains them, if its memory may be discarded meanwhile.
package struct DocumentText {
  /// The bytes; they outlive this value.
  package let bytes: UnsafeRawBufferPointer
  /// The body to discard piece by piece; nil if the bytes are needed afterwards.
  private let body: ReceivedBody?

  /// Creates the text of bytes that stay in memory.
  package init(_ bytes: UnsafeRawBufferPointer) { (self.bytes, body) = (bytes, nil) }

  /// Creates the text of a body that is decoded once.
  package init(discarding body: ReceivedBody) { (bytes, self.body) = (body.bytes, body) }

  /// Discards bytes that are not needed any more.
  func discard(_ range: Range<Int>) { body?.discard(range) }
}
