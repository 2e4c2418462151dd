// SPDX-License-Identifier: Apache-2.0
//
// The transport that a program supplies: sends the requests of a client instead of libcurl.

/// An HTTP request that the program sends for Remora, in a transport or to download a seed.
public struct HTTPRequest: Hashable, Sendable {
  /// The method: `"GET"` or `"POST"`. The body is always empty.
  public let method: String
  /// The URL, an absolute http or https URL.
  public let url: String
  /// The headers, of the form `"Name: value"`. They may contain credentials.
  public let headers: [String]
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible {
  /// The method only, because the URL and the headers may contain credentials.
  public var description: String { "\(method) request" }
  /// The method only.
  public var debugDescription: String { description }
}

/// A server's response to a request.
public struct HTTPResponse: Hashable, Sendable {
  /// The HTTP status, 200 to 599.
  public var status: Int
  /// The headers, of the form `"Name: value"`. `Content-Encoding`, `Content-Length` and `Transfer-Encoding` are
  /// ignored.
  public var headers: [String]
  /// The body, after all content encodings were decoded.
  public var body: [UInt8]

  /// Creates a response.
  public init(status: Int = 200, headers: [String] = [], body: [UInt8] = []) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }
}

/// A transport of the program, which sends the requests of a client instead of libcurl.
///
/// Use a transport in tests, or if the program must use another HTTP library. Remora still limits the size and the time
/// of requests, follows redirects, sends conditional requests, respects backoffs, and verifies signatures. A client
/// with a transport ignores `proxy`, `caFile`, `connectTimeout` and `stallTimeout`, and logs a warning when it is
/// created.
public protocol HTTPTransport: Sendable {
  /// Sends a request, and returns the response. Must not follow redirects.
  ///
  /// Called in a separate task for each request, with at most eight requests to a server at a time. The task is
  /// cancelled when the result is no longer needed, and when the client is closed. A response after the cancellation
  /// has no effect.
  ///
  /// - Throws: Any error if no response was received: the request then fails with `.network`, or with `.tls` if the
  ///   error is a `RemoraError` with this code.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse
}
