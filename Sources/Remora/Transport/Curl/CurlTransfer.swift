// SPDX-License-Identifier: Apache-2.0
//
// One libcurl transfer: an easy handle with every option set, and the response it receives.
// Invariant: neither the environment, the user's files nor an earlier response influences a request. Used by the
// driving thread only.

internal import CCurl

/// An easy handle and its memory. Freed by `cleanUp` rather than by deinit, because a forked child must abandon it.
final class CurlTransfer {
  /// The identifier that was returned to the caller of `start`.
  let id: TransferID
  private let handle: CurlHandle
  private let url: ParsedURL
  private let urlText: String
  private let answer: UnsafeMutablePointer<IncomingResponse>
  /// All header lines, if the request has lines of its own; else nil.
  private let headers: CurlHeaders?

  /// Prepares a request whose strings were validated, with a handle that fits it.
  init(_ arrival: CurlArrival, nowMs: Int64, handle: CurlHandle) throws(RemoraError) {
    let (request, url) = (arrival.request, arrival.url)
    id = arrival.id
    self.handle = handle
    self.url = url
    urlText = request.target == nil ? url.description : request.url
    let easy = handle.easy
    answer = .allocate(capacity: 1)
    answer.initialize(to: IncomingResponse(of: request, with: easy, nowMs: nowMs))
    let ownHeaders = request.ownHeaders
    headers = ownHeaders.isEmpty ? nil : CurlHeaders(request.sharedHeaders + ownHeaders)

    var settings = CurlSettings(easy: easy)
    settings.note(receive(with: easy, into: answer))
    settings.note(handle.setURL(urlText))
    settings.setTotalTimeout(request.options.totalTimeoutMs, waitedMs: monotonicMs().addingClamped(-arrival.startedMs))
    if !ownHeaders.isEmpty {
      settings.note(headers.map { rcurl_set_list(easy, RCURLOPT_HTTPHEADER, $0.list) } ?? RCURLE_OUT_OF_MEMORY)
    }
    if settings.code != RCURLE_OK {
      let error = RemoraError.transfer(settings.code, detail: "", url: url)
      cleanUp()
      throw error
    }
  }

  /// libcurl's handle.
  var easy: UnsafeMutableRawPointer { handle.easy }

  /// Returns the result of the transfer, once libcurl has finished it.
  func outcome(_ code: CURLcode) -> Result<HTTPResponse, RemoraError> {
    if code == RCURLE_OK { answer.pointee.finish() }
    if let failure = answer.pointee.failure {
      return .failure(refusal(failure))
    }
    // libcurl buffers a whole header line before it delivers it, and reports a line of more than 100 KiB as out of
    // memory.
    if answer.pointee.isInHeader, isOutOfMemory(code) {
      return .failure(refusal(RemoraError(.tooLarge, IncomingResponse.headerTooLarge)))
    }
    guard code == RCURLE_OK || answer.pointee.hasEnough else {
      return .failure(handle.error(code, url: url))
    }
    guard answer.pointee.isWhole, let status = Int32(exactly: rcurl_response_code(easy)), status > 0 else {
      return .failure(.transfer(.network, "the response was truncated", url: url))
    }
    return .success(
      HTTPResponse(
        status: status, url: urlText, headers: answer.pointee.headers, content: answer.pointee.takeBody(),
        bodyEnd: answer.pointee.bodyEnd))
  }

  /// Returns the reason a received response is not used, with its status if its header was complete.
  private func refusal(_ failure: RemoraError) -> RemoraError {
    var error = RemoraError.transfer(failure.code, failure.message, url: url)
    if !answer.pointee.isInHeader { error.httpStatus = Int32(exactly: rcurl_response_code(easy)) ?? 0 }
    return error
  }

  /// Frees everything. The handle must no longer be in a multi handle.
  func cleanUp() {
    handle.free()
    freeMemory()
  }

  /// Frees everything except the handle, which it returns for another transfer.
  func takeHandle() -> CurlHandle {
    handle.forgetTransfer()
    freeMemory()
    return handle
  }

  private func freeMemory() {
    headers?.free()
    answer.pointee.free()
    answer.deinitialize(count: 1)
    answer.deallocate()
  }
}

/// Whether libcurl could not buffer something: CURLE_TOO_LARGE since 8.6, CURLE_OUT_OF_MEMORY before.
private func isOutOfMemory(_ code: CURLcode) -> Bool { code == RCURLE_OUT_OF_MEMORY || code.rawValue == 100 }
