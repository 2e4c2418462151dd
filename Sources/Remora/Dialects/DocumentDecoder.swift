// SPDX-License-Identifier: Apache-2.0
//
// Decodes one document while its bytes arrive, or at once.

/// The decoder of one document. One thread at a time may use it, and no call is allowed after an error.
package protocol DocumentDecoder: AnyObject {
  /// Decodes the values that have arrived completely.
  ///
  /// - Parameter text: All bytes since the beginning of the document, in the same memory as in earlier calls.
  /// - Throws: `.parse`, `.format` or `.tooLarge`, naming the place.
  func decode(_ text: DocumentText) throws(RemoraError)

  /// Decodes the remaining values of the complete text, and returns the document.
  func finish(_ text: DocumentText) throws(RemoraError) -> Document
}

/// The values of one kind of document, while they are decoded.
protocol DocumentContent: JSONVisitor, ~Copyable {
  /// Returns the document, after its last value was visited.
  consuming func document() throws(RemoraError) -> Document
}

/// Passes the values of a document to its content.
final class ContentDecoder<Content: DocumentContent & ~Copyable>: DocumentDecoder {
  private var reader: JSONReader
  /// The content; nil after an error, and after the end.
  private var content: Content?

  /// - Parameter source: The name of the document in messages.
  init(_ content: consuming Content, named source: String) {
    self.content = consume content
    reader = JSONReader(name: source)
  }

  func decode(_ text: DocumentText) throws(RemoraError) { content = try read(text, isWhole: false) }

  func finish(_ text: DocumentText) throws(RemoraError) -> Document {
    var document = try read(text, isWhole: true).document()
    document.hasMark = reader.hasMark
    return document
  }

  private func read(_ text: DocumentText, isWhole: Bool) throws(RemoraError) -> Content {
    guard var content = content.take() else { throw .bug("a decoder was used again") }
    try reader.read(text, isWhole: isWhole, &content)
    return content
  }
}
