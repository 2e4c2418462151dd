// SPDX-License-Identifier: Apache-2.0
//
// A body on its way into its destination. Invariant: what is written is a part of the answer to the request that was
// made: the whole from 0 on, or the range that was asked for; and never more than the limit.

/// The most bytes of an answer that is not kept; then the connection is given up, and the answer counts as it is.
private let mostDroppedBytes = 64 << 10

/// The bytes of one answer, written as they come.
struct StreamedBody {
  /// Bytes in the destination.
  private(set) var end: Int
  /// Whether nothing that still comes can matter.
  private(set) var hasEnough = false

  private let destination: BodyDestination
  /// Whether the answer's status was looked at.
  private var hasBegun = false
  /// Whether the body is wanted.
  private var isKept = false
  /// Where the body may end at most.
  private var bound = 0
  /// Where it must end, when the answer says so.
  private var promisedEnd: Int?
  private var droppedBytes = 0

  /// Waits for an answer.
  init(_ destination: BodyDestination) {
    self.destination = destination
    end = destination.offset
  }

  /// Looks at the final answer's header, at its first byte or at its end; once.
  ///
  /// - Parameters:
  ///   - length: The announced length, if any.
  ///   - isEncoded: Whether the answer has a content encoding.
  /// - Throws: `.format` for another range; `.network` for a content encoding; `.tooLarge`; `.storage`.
  mutating func begin(status: Int, headers: ResponseHeaders, length: Int?, isEncoded: Bool) throws(RemoraError) {
    guard !hasBegun else { return }
    hasBegun = true
    guard status == 200 || status == 206 else { return }
    guard !isEncoded else { throw RemoraError(.network, "the answer has a content encoding, and none was asked for") }
    isKept = true
    bound = destination.limit
    if status == 206 {
      try beginRange(headers.contentRange)
    } else {
      guard (length ?? 0) <= bound else { throw tooLarge }
      end = 0
      // What is there is no part of this body, which may have no bytes at all.
      try write(UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// Writes the next bytes, or drops them.
  ///
  /// - Throws: `.tooLarge`, `.network` beyond the range, `.storage`.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) {
    guard isKept else {
      droppedBytes += bytes.count
      hasEnough = droppedBytes > mostDroppedBytes
      return
    }
    guard bytes.count <= bound - end else {
      throw bound == destination.limit ? tooLarge : RemoraError(.network, "the answer is longer than its range")
    }
    guard !bytes.isEmpty else { return }
    try write(bytes)
    end += bytes.count
    destination.progress(end)
  }

  /// Whether all bytes came that the answer promised.
  var isWhole: Bool { promisedEnd == nil || promisedEnd == end }

  private mutating func beginRange(_ range: ContentRange?) throws(RemoraError) {
    guard let range, range.first == destination.offset else {
      throw RemoraError(.format, "the answer brings another range than was asked for")
    }
    guard range.end <= bound, range.total ?? 0 <= bound else { throw tooLarge }
    bound = range.end
    // A server may give less than was asked for. That is a cut like any other: the rest can be asked for.
    promisedEnd = range.total ?? range.end
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) {
    let answer = destination.write(bytes, end)
    guard answer >= 0 else { throw RemoraError(.storage, "the answer cannot be written: \(errorText(-answer))") }
  }

  private var tooLarge: RemoraError {
    RemoraError(.tooLarge, "the answer's body exceeds \(destination.limit) bytes")
  }
}
