// SPDX-License-Identifier: Apache-2.0
//
// The memory of the entries of a decoded document, which becomes the memory of their image: the entries stay where the
// encoder wrote them.
// Invariant: room for the header of an image is at the beginning.

/// The memory of a document's entries, until an image takes it.
///
/// `@unchecked Sendable`: it moves with its document, and only the thread that compiles the document changes it.
package final class EntryMemory: @unchecked Sendable {
  /// The location of the bytes; empty after the image took them.
  package let region: UnsafeMutablePointer<Region>
  private var buffer: ByteBuffer?

  /// Takes ownership of the bytes of an encoder that left room for the header.
  init(_ encoder: consuming EntryEncoder) throws(RemoraError) {
    let buffer = encoder.intoBuffer()
    guard let base = buffer.bytes.baseAddress else { throw RemoraError(.internal, "bug in Remora: empty document") }
    region = .allocate(capacity: 1)
    region.initialize(to: Region(base: base, length: buffer.count))
    self.buffer = consume buffer
  }

  deinit { region.deallocate() }

  /// Whether entries of so many bytes, and the room for the header, are all that is in the memory.
  func isFilled(byEntriesOf length: Int) -> Bool { region.pointee.length == ImageFormat.headerSize &+ length }

  /// Returns the bytes, and empties the region; nil if they were taken before.
  func take() -> ByteBuffer? {
    region.pointee = Region(base: region.pointee.base, length: 0)
    return buffer.take()
  }
}
