// SPDX-License-Identifier: Apache-2.0
//
// The host's answer to one request, and its result under the limits that responses of servers have too.

/// An answer of the host, copied from its memory.
package enum HostResponse: Sendable {
  /// A response. Each header line was accepted by `parseHeader`.
  case response(status: Int32, headers: [String], body: ReceivedBody)
  /// No response arrived.
  case failure(RemoraError.Code, String)

  /// Creates a response with a copy of its body. Of a body that exceeds the limit, one byte more than the limit is
  /// copied, so that the limit is found to be exceeded.
  ///
  /// - Throws: `.invalidArgument` naming `http_status` or `headers`; `.unavailable` if memory is exhausted.
  package init(
    status: Int32, headers: [String], copying body: UnsafeRawBufferPointer, mostBytes limit: Int
  ) throws(RemoraError) {
    guard (200...599).contains(status) else {
      throw .invalidArgument("http_status", "is \(status); it must be between 200 and 599")
    }
    for header in headers { try parseHeader(header) }
    let copied = body.prefix(limit == .max ? limit : limit + 1)
    let body = try ReceivedBody(copying: UnsafeRawBufferPointer(rebasing: copied))
    self = .response(status: status, headers: headers, body: body)
  }

  /// Creates the answer of a host that received no response.
  ///
  /// - Parameters:
  ///   - code: Network or TLS; nil if the host's number does not belong to an error.
  ///   - message: The reason; nil if the host states none.
  ///   - status: The status of the response, which must be 0.
  /// - Throws: `.invalidArgument` naming `message`, `http_status` or `failure`.
  package init(failure code: RemoraError.Code?, message: String?, status: Int32) throws(RemoraError) {
    if let message { try validateHeaderValue(message, of: "message") }
    guard status == 0 else { throw .invalidArgument("http_status", "must be 0 for a failure") }
    guard let code, code == .network || code == .tls else {
      throw .invalidArgument("failure", "is the status of neither a network nor a TLS failure")
    }
    self = .failure(code, message ?? "the program's transport failed")
  }

  /// Returns the result of a request. A body for a destination is written there.
  func result(for request: HTTPRequest, to url: ParsedURL, nowMs: Int64) -> Result<HTTPResponse, RemoraError> {
    switch self {
    case .failure(let code, let message): return .failure(.transfer(code, message, url: url))
    case .response(let status, let lines, let body):
      do throws(RemoraError) {
        let headers = try responseHeaders(lines, nowMs: nowMs)
        var response = HTTPResponse(status: status, url: request.text(of: url), headers: headers)
        try response.receive(body, for: request)
        return .success(response)
      } catch {
        var error = RemoraError.transfer(error.code, error.message, url: url)
        error.httpStatus = status
        return .failure(error)
      }
    }
  }
}

extension HTTPRequest {
  /// The maximum number of bytes in the body of a response.
  var bodyLimit: Int { destination?.limit ?? options.maxBodyBytes }
}

extension HTTPResponse {
  /// Keeps a complete body, or writes it to the destination of the request.
  fileprivate mutating func receive(_ body: ReceivedBody, for request: HTTPRequest) throws(RemoraError) {
    guard let destination = request.destination else {
      guard body.count <= request.bodyLimit else {
        throw .bodyTooLarge(limit: request.bodyLimit)
      }
      return content = body
    }
    var streamed = StreamedBody(destination)
    try streamed.begin(status: Int(status), headers: headers, length: body.count, isEncoded: false)
    try streamed.receive(body.bytes)
    guard streamed.isWhole else { throw RemoraError(.network, "the response was truncated") }
    bodyEnd = streamed.end
  }
}

private func responseHeaders(_ lines: [String], nowMs: Int64) throws(RemoraError) -> ResponseHeaders {
  let bytes = lines.reduce(0) { $0 &+ $1.utf8.count }
  guard lines.count <= mostHeaderLines, bytes <= mostHeaderBytes else {
    throw RemoraError(.tooLarge, IncomingResponse.headerTooLarge)
  }
  var headers = ResponseHeaders()
  for line in lines {
    let (name, value) = try parseHeader(line)
    headers.add(name: name, value: value, nowMs: nowMs)
  }
  return headers
}
