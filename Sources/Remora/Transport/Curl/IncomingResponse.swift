// SPDX-License-Identifier: Apache-2.0
//
// One response while libcurl delivers it, checked against the limits.
// Invariant: never keeps more than the limits allow. Lives in raw memory; used by the driving thread only.

internal import CCurl

/// The limits of a response's header, over all its blocks and trailers.
let mostHeaderLines = 200
let mostHeaderBytes = 64 << 10

/// A response that is being received.
struct IncomingResponse: ~Copyable {
  /// The latest header block; that of an interim response is dropped when the next block begins.
  private var block = HeaderBlock()
  /// The decoded bytes received so far.
  private var body = ByteBuffer()
  /// The error with which a callback stopped the transfer.
  private(set) var failure: RemoraError?

  /// libcurl's handle, which outlives this value.
  private let easy: UnsafeMutableRawPointer
  /// The maximum number of decoded bytes.
  private let bodyLimit: Int
  /// The response properties that are accepted.
  private let hosting: Hosting
  /// The wall time against which header dates are evaluated.
  private let nowMs: Int64
  private var headerLines = 0
  private var headerBytes = 0
  private var bodyHasBegun = false
  /// Decodes a compressed body; nil before the body begins.
  private var decoder: GzipDecoder?
  /// Receives the body instead of `body`, if the request has a destination.
  private var streamed: StreamedBody?
  /// Reports parts of a large body.
  private var arrival: BodyArrival?

  /// The fields of the latest header block that Remora uses.
  var headers: ResponseHeaders { block.headers }

  static var headerTooLarge: String {
    "the response header exceeds \(mostHeaderLines) lines or \(mostHeaderBytes >> 10) KiB"
  }

  /// Prepares to receive the response to `request`.
  init(of request: HTTPRequest, with easy: UnsafeMutableRawPointer, nowMs: Int64) {
    self.easy = easy
    bodyLimit = request.options.maxBodyBytes
    hosting = request.hosting
    streamed = request.destination.map { StreamedBody($0) }
    arrival = request.arrival.map { BodyArrival(report: $0) }
    self.nowMs = nowMs
  }

  /// Receives one header line with its line end. Returning false stops the transfer.
  mutating func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    headerLines += 1
    headerBytes += bytes.count
    guard headerLines <= mostHeaderLines, headerBytes <= mostHeaderBytes else {
      return stop(.tooLarge, Self.headerTooLarge)
    }
    guard !bodyHasBegun else { return true }  // trailers are ignored
    let line = trimmed(bytes[...])
    if line.isEmpty {
      block.isWhole = true
      return checkFraming()
    }
    if line.starts(with: "HTTP/".utf8) {
      block = HeaderBlock()
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      block.add(
        name: String(decoding: line[..<colon], as: UTF8.self),
        value: String(decoding: trimmed(line[(colon + 1)...]), as: UTF8.self), nowMs: nowMs)
    }
    return true
  }

  /// Receives bytes of the body. Returning false stops the transfer.
  mutating func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard keepBody(bytes) else { return false }
    if arrival?.isDue(body.count) == true { reportArrival() }
    return true
  }

  private mutating func keepBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first else { return true }
    if !bodyHasBegun {
      bodyHasBegun = true
      guard beginBody(with: first) else { return false }
    }
    if streamed != nil {
      return step { body throws(RemoraError) in try body?.receive(bytes) } && !hasEnough
    }
    if decoder != nil {
      switch decoder?.decode(bytes, into: &body, limit: bodyLimit) {
      case nil: return true
      case .tooLarge: return stopTooLarge()
      case .malformed: return stop(.network, "the gzip body of the response is damaged")
      case .noMemory: return stopWithoutMemory()
      }
    }
    guard bytes.count <= bodyLimit - body.count else { return stopTooLarge() }
    do throws(RemoraError) {
      try body.append(bytes)
      return true
    } catch {
      return stopWithoutMemory()
    }
  }

  /// Whether the header is complete, and so is a compressed or streamed body.
  ///
  /// libcurl checks everything else, but accepts a connection that closes within the header.
  var isWhole: Bool { block.isWhole && decoder?.isComplete != false && streamed?.isWhole != false }

  /// Whether the header has begun and is not complete.
  var isInHeader: Bool { headerLines > 0 && !block.isWhole }

  /// Whether a callback stopped the transfer because the remaining bytes do not matter.
  var hasEnough: Bool { streamed?.hasEnough == true }

  /// The number of bytes in the destination; 0 without one.
  var bodyEnd: Int { streamed?.end ?? 0 }

  /// Completes a response that libcurl received in full; its body may be empty.
  mutating func finish() { _ = beginStream() }

  /// Returns the body and removes it from this value.
  mutating func takeBody() -> ReceivedBody {
    var taken = ByteBuffer()
    swap(&taken, &body)
    return ReceivedBody(taken)
  }

  /// Frees the memory of the decoder.
  func free() { decoder?.free() }

  /// Reports the part of the body that has arrived, unless memory for it is exhausted, or the body is not of a
  /// document.
  private mutating func reportArrival() {
    let status = rcurl_response_code(easy)
    guard status == 200 || status == 203 else { return arrival = nil }
    let total = decoder == nil ? block.announcedLength ?? bodyLimit : bodyLimit
    guard (try? body.pin(total)) != nil, let arrived = body.shared() else { return arrival = nil }
    arrival?.report(ReceivedBody(arrived))
  }

  private mutating func beginBody(with first: UInt8) -> Bool {
    if streamed != nil { return beginStream() }
    if isCompressed(first) {
      decoder = GzipDecoder()
      return decoder != nil || stopWithoutMemory()
    }
    if let length = block.announcedLength {
      guard length <= bodyLimit else { return stopTooLarge() }
      // Without this memory, the body grows as it arrives.
      try? body.reserve(length)
    }
    return true
  }

  /// Whether the body is to be decoded. If any hosting is accepted, the body itself decides, because no JSON text
  /// begins with the first byte of gzip.
  private mutating func isCompressed(_ first: UInt8) -> Bool {
    guard hosting == .any, block.isEncoded else { return block.isEncoded }
    let isCompressed = first == 0x1F && rcurl_can_inflate() != 0
    if !isCompressed || !block.isGzipOnce { block.ignoreEncodings() }
    return isCompressed
  }

  private mutating func beginStream() -> Bool {
    let block = block
    let status = rcurl_response_code(easy)
    return step { body throws(RemoraError) in
      try body?.begin(status: status, headers: block.headers, length: block.announcedLength, isEncoded: block.isEncoded)
    }
  }

  /// Applies `change` to the streamed body; records a failure and returns false if it throws.
  private mutating func step(_ change: (inout StreamedBody?) throws(RemoraError) -> Void) -> Bool {
    do throws(RemoraError) {
      try change(&streamed)
      return true
    } catch {
      return stop(error.code, error.message)
    }
  }

  /// Checks whether the body can be received and decoded.
  private mutating func checkFraming() -> Bool {
    if let fault = block.framingFault { return stop(.network, fault) }
    let isDecodable = !block.isEncoded || (block.isGzipOnce && rcurl_can_inflate() != 0)
    guard isDecodable || streamed != nil || hosting == .any else {
      return stop(.network, "the response has a Content-Encoding that is not \"gzip\"")
    }
    return true
  }

  private mutating func stopTooLarge() -> Bool {
    stop(.bodyTooLarge(limit: bodyLimit))
  }

  private mutating func stopWithoutMemory() -> Bool { stop(.unavailable, "no memory to decode the response") }

  private mutating func stop(_ code: RemoraError.Code, _ message: String) -> Bool {
    stop(RemoraError(code, message))
  }

  private mutating func stop(_ error: RemoraError) -> Bool {
    failure = error
    return false
  }
}

/// Decides when the part of a large body that has arrived is reported, so that it can be decoded meanwhile.
struct BodyArrival {
  /// The number of bytes between two reports.
  private static var piece: Int { 128 << 10 }

  /// Receives the part that has arrived.
  let report: @Sendable (ReceivedBody) -> Void
  /// The number of bytes of the body from which it is reported next.
  private var next = HTTPResponse.mostSmallBytes + 1

  init(report: @escaping @Sendable (ReceivedBody) -> Void) { self.report = report }

  /// Whether a body of `count` bytes is to be reported.
  mutating func isDue(_ count: Int) -> Bool {
    guard count >= next else { return false }
    next = count + Self.piece
    return true
  }
}

/// Makes libcurl deliver the response to `answer`, which must outlive the handle.
func receive(with easy: UnsafeMutableRawPointer, into answer: UnsafeMutablePointer<IncomingResponse>) -> CURLcode {
  let code = rcurl_set_receiver(easy, RCURLOPT_HEADERFUNCTION, headerArrived, RCURLOPT_HEADERDATA, answer)
  guard code == RCURLE_OK else { return code }
  return rcurl_set_receiver(easy, RCURLOPT_WRITEFUNCTION, bodyArrived, RCURLOPT_WRITEDATA, answer)
}

private func headerArrived(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let answer = context.assumingMemoryBound(to: IncomingResponse.self)
  let chunk = UnsafeRawBufferPointer(start: bytes, count: count)  // libcurl's size is always 1
  return answer.pointee.receiveHeader(chunk) ? count : RCURL_WRITEFUNC_ERROR
}

private func bodyArrived(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let answer = context.assumingMemoryBound(to: IncomingResponse.self)
  let chunk = UnsafeRawBufferPointer(start: bytes, count: count)
  return answer.pointee.receiveBody(chunk) ? count : RCURL_WRITEFUNC_ERROR
}
