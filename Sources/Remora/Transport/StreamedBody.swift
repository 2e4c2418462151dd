// SPDX-License-Identifier: Apache-2.0
//
// Writes a response body to its destination.
// Invariant: what is written is part of the response to this request, the whole body from offset 0 or the requested
// range, and never exceeds the limit.

/// The maximum number of bytes read of a body that is not kept. Then the transfer is stopped, without changing its
/// result.
private let mostDroppedBytes = 64 << 10

/// Writes the bytes of one response to the destination as they arrive.
struct StreamedBody {
  /// The number of bytes in the destination.
  private(set) var end: Int
  /// Whether the remaining bytes do not matter.
  private(set) var hasEnough = false

  private let destination: BodyDestination
  /// Whether the response's status was checked.
  private var hasBegun = false
  /// Whether the body is written; else it is dropped.
  private var isKept = false
  /// The highest offset at which the body may end.
  private var bound = 0
  /// The offset at which the body must end, if the response states it.
  private var promisedEnd: Int?
  private var droppedBytes = 0

  /// Prepares to receive a response.
  init(_ destination: BodyDestination) {
    self.destination = destination
    end = destination.offset
  }

  /// Checks the final response's header, once: at the first byte of the body, or at its end.
  ///
  /// - Parameters:
  ///   - length: The Content-Length, if any.
  ///   - isEncoded: Whether the response has a content encoding.
  /// - Throws: `.format` for a wrong range; `.network` for a content encoding; `.tooLarge`; `.storage`.
  mutating func begin(status: Int, headers: ResponseHeaders, length: Int?, isEncoded: Bool) throws(RemoraError) {
    guard !hasBegun else { return }
    hasBegun = true
    guard status == 200 || status == 206 else { return }
    guard !isEncoded else {
      throw RemoraError(.network, "the response has a content encoding that the request did not allow")
    }
    isKept = true
    bound = destination.limit
    if status == 206 {
      try beginRange(headers.contentRange)
    } else {
      guard (length ?? 0) <= bound else { throw tooLarge }
      end = 0
      // Truncates what the destination already has, which is not part of this body; the body may be empty.
      try write(UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// Writes the next bytes, or drops them.
  ///
  /// - Throws: `.tooLarge`, `.network` for bytes beyond the range, `.storage`.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) {
    guard isKept else {
      droppedBytes += bytes.count
      hasEnough = droppedBytes > mostDroppedBytes
      return
    }
    guard bytes.count <= bound - end else {
      throw bound == destination.limit ? tooLarge : RemoraError(.network, "the response exceeds its Content-Range")
    }
    guard !bytes.isEmpty else { return }
    try write(bytes)
    end += bytes.count
    destination.progress(end)
  }

  /// Whether all bytes that the response promised have arrived.
  var isWhole: Bool { promisedEnd == nil || promisedEnd == end }

  private mutating func beginRange(_ range: ContentRange?) throws(RemoraError) {
    guard let range, range.first == destination.offset else {
      throw RemoraError(.format, "the response does not have the requested byte range")
    }
    guard range.end <= bound, range.total ?? 0 <= bound else { throw tooLarge }
    bound = range.end
    // A server may send less than the requested range. That counts as an interrupted transfer: the rest can be
    // requested.
    promisedEnd = range.total ?? range.end
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) {
    let answer = destination.write(bytes, end)
    guard answer >= 0 else { throw RemoraError(.storage, "cannot write the response to a file: \(errorText(-answer))") }
  }

  private var tooLarge: RemoraError { .bodyTooLarge(limit: destination.limit) }
}
