// SPDX-License-Identifier: Apache-2.0
//
// The body of a response. The part that was decoded is given back to the system while the rest is decoded, so that a
// large body and its image are not in memory together.

/// A body in memory, or the part of it that has arrived.
///
/// `@unchecked Sendable`: a body moves with its response, and only the thread that decodes the response discards bytes.
package final class ReceivedBody: @unchecked Sendable {
  private let buffer: ByteBuffer
  private var isDiscarded = false

  /// Takes ownership of the bytes in a buffer.
  package init(_ buffer: consuming ByteBuffer = ByteBuffer()) { self.buffer = buffer }

  /// Copies bytes to a new body.
  ///
  /// - Throws: `.unavailable` if memory is exhausted.
  package convenience init(copying bytes: UnsafeRawBufferPointer) throws(RemoraError) {
    var buffer = ByteBuffer(limit: .max)
    try buffer.append(bytes)
    self.init(buffer)
  }

  package var count: Int { buffer.count }

  /// The bytes; valid as long as this object. Discarded bytes may read as zeros.
  package var bytes: UnsafeRawBufferPointer { buffer.bytes }

  /// Whether the content is certainly complete: nothing was discarded, and the memory is not shared with an earlier
  /// part of the body.
  package var isComplete: Bool { !isDiscarded && !buffer.isPinned }

  /// Returns the memory of a range of bytes to the system, except for its last page if it is not complete.
  ///
  /// - Parameter range: The bytes that are not needed any more. The bytes before it are not needed either.
  package func discard(_ range: Range<Int>) {
    buffer.discard(range)
    isDiscarded = true
  }
}

extension ReceivedBody: Equatable {
  package static func == (left: ReceivedBody, right: ReceivedBody) -> Bool {
    left.bytes.elementsEqual(right.bytes)
  }
}
