// SPDX-License-Identifier: Apache-2.0
//
// The interface for HTTP requests: one request, one response. Redirects are not followed here. Implementations:
// `CurlTransport`, `HostTransport`, and the scripted transport of the tests.

/// An HTTP request.
package struct HTTPRequest: Sendable {
  /// An absolute http or https URL that `ParsedURL` accepts.
  package let url: String
  /// The same URL, if the caller has parsed it already.
  let target: ParsedURL?
  package var method = HTTPMethod.get
  /// The entity tag for If-None-Match, with its quotes.
  package var ifNoneMatch: String?
  /// The response properties that are accepted.
  package var hosting = Hosting.strict
  package var options: TransportOptions
  /// Called with the part of a large body in memory that has arrived, each time that 128 KiB more have arrived of a
  /// body of more than 256 KiB, on the driving thread, with no engine lock held; must be quick. The parts share the
  /// memory of the whole body. Only for the statuses 200 and 203, and not by transports of hosts.
  package var arrival: (@Sendable (ReceivedBody) -> Void)?
  /// The destination of the body of a 200 or 206; nil keeps the body in memory. With a destination, no content encoding
  /// is accepted, the body of any other response is dropped, and the destination's limit replaces `maxBodyBytes`.
  package var destination: BodyDestination?

  /// Creates a request to a parsed URL; `text` is its text form.
  package init(_ target: ParsedURL, text: String, options: TransportOptions) {
    url = text
    self.target = target
    self.options = options
  }

  /// Creates a request; `maxBodyBytes` replaces the limit of the options.
  package init(
    url: String, ifNoneMatch: String? = nil, options: TransportOptions = TransportOptions(), maxBodyBytes: Int? = nil
  ) {
    self.url = url
    target = nil
    self.ifNoneMatch = ifNoneMatch
    self.options = options
    if let maxBodyBytes { self.options.maxBodyBytes = maxBodyBytes }
  }
}

/// A complete response of any status, including redirects and errors.
package struct HTTPResponse: Sendable, Equatable {
  /// The HTTP status.
  package var status: Int32
  package var url: String
  package var headers: ResponseHeaders
  /// The whole body without its content encoding; empty if the request had a destination.
  package var content: ReceivedBody
  /// The number of bytes in the destination, including those present before the request.
  package var bodyEnd: Int

  /// The maximum number of bytes in a body that is decoded at once, when it is complete.
  static var mostSmallBytes: Int { 256 << 10 }

  package init(
    status: Int32, url: String, headers: ResponseHeaders = ResponseHeaders(), content: ReceivedBody = ReceivedBody(),
    bodyEnd: Int = 0
  ) {
    self.status = status
    self.url = url
    self.headers = headers
    self.content = content
    self.bodyEnd = bodyEnd
  }
}

/// Identifies one transfer of one transport; never reused in a process.
package struct TransferID: Hashable, Sendable {
  package let number: UInt64

  package init(number: UInt64) { self.number = number }
}

/// Sends requests. Safe to use from any thread.
package protocol Transport: AnyObject, Sendable {
  /// Receives the result of one transfer.
  typealias Completion = @Sendable (Result<HTTPResponse, RemoraError>) -> Void

  /// Starts a transfer and returns at once.
  ///
  /// `completion` runs exactly once on the transport's driving thread, unless the transfer is cancelled. It may start
  /// and cancel transfers. It must be quick, because all transfers and every fork of the process wait for it.
  ///
  /// - Throws: `.invalidArgument` for a request that cannot be sent; `.unavailable` without libcurl or a thread;
  ///   `.closed` after the transport was stopped permanently. `completion` then never runs.
  func start(_ request: HTTPRequest, completion: @escaping Completion) throws(RemoraError) -> TransferID

  /// Ends a transfer without a result, and drops its connection promptly.
  ///
  /// Returns true if the completion will never run; false if it has run, is running or is about to. The destination may
  /// be written to until the driving thread has dropped the transfer; see `BodyDestination`.
  @discardableResult
  func cancel(_ id: TransferID) -> Bool
}
