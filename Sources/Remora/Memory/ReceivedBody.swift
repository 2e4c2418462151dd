// SPDX-License-Identifier: Apache-2.0
//
// The body of a response. The part that was decoded is given back to the system while the rest is decoded, so that a
// large body and its image are not in memory together.

/// A complete body in memory.
///
/// `@unchecked Sendable`: a body moves with its response, and only the thread that decodes the response discards bytes.
package final class ReceivedBody: @unchecked Sendable {
  private let buffer: ByteBuffer
  /// The number of bytes at the beginning that are not needed any more.
  private var discarded = 0

  /// The number of bytes after which memory is given back to the system.
  private static var piece: Int { 512 << 10 }

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

  /// The number of bytes.
  package var count: Int { buffer.count }

  /// The bytes; valid as long as this object. Discarded bytes may read as zeros.
  package var bytes: UnsafeRawBufferPointer { buffer.bytes }

  /// Whether the content is still complete.
  package var isComplete: Bool { discarded == 0 }

  /// Gives back the memory of the bytes before an address, in large pieces.
  package func discard(before address: UnsafeRawPointer) {
    guard let start = bytes.baseAddress, address - start >= discarded &+ Self.piece else { return }
    buffer.discard(discarded..<(address - start))
    discarded = address - start
  }
}

extension ReceivedBody: Equatable {
  package static func == (left: ReceivedBody, right: ReceivedBody) -> Bool {
    left.bytes.elementsEqual(right.bytes)
  }
}
