// SPDX-License-Identifier: Apache-2.0
//
// The port through which bytes come from a server: one request, one answer. Redirects are not followed here.
// Adapters: `CurlTransport`, and the scripted transport of the tests.

/// What holds for every request of a client: where it goes through, what it carries, how long it may take.
package struct TransportOptions: Sendable, Equatable {
  /// The proxy as libcurl takes it; nil is none. The environment is never read.
  package var proxy: String?
  /// A PEM file of TLS roots; nil means libcurl's own.
  package var caFile: String?
  /// Lines "Name: value", each accepted by `validateHeader`.
  package var headers: [String]
  /// The value of the User-Agent header.
  package var userAgent: String
  /// Limit of name lookup, connection and TLS handshake; -1 is off.
  package var connectTimeoutMs: Int64
  /// Ends a transfer that stays below 100 bytes/s for so long, in whole seconds (rounded up); -1 is off.
  package var stallTimeoutMs: Int64
  /// Limit of the whole transfer; -1 is off.
  package var totalTimeoutMs: Int64
  /// Limit of a body after decoding; one byte more is `.tooLarge`.
  package var maxBodyBytes: Int

  /// The defaults of the C header.
  package init(
    proxy: String? = nil, caFile: String? = nil, headers: [String] = [], userAgent: String = "remora",
    connectTimeoutMs: Int64 = 10_000, stallTimeoutMs: Int64 = 30_000, totalTimeoutMs: Int64 = 120_000,
    maxBodyBytes: Int = 16 << 20
  ) {
    self.proxy = proxy
    self.caFile = caFile
    self.headers = headers
    self.userAgent = userAgent
    self.connectTimeoutMs = connectTimeoutMs
    self.stallTimeoutMs = stallTimeoutMs
    self.totalTimeoutMs = totalTimeoutMs
    self.maxBodyBytes = maxBodyBytes
  }

  /// The largest limit of a body, and of packaged data.
  package static let largestBodyBytes = 256 << 20

  /// Limits bodies; 0 leaves the limit as it is.
  ///
  /// - Throws: `.invalidArgument` naming `max_body_bytes`.
  package mutating func limitBody(toBytes bytes: Int64) throws(RemoraError) {
    guard (0...Int64(Self.largestBodyBytes)).contains(bytes) else {
      throw .invalidArgument(
        "max_body_bytes", "must be between 1 and \(Self.largestBodyBytes), or 0 for the default")
    }
    if bytes > 0 { maxBodyBytes = Int(bytes) }
  }

  /// The defaults of a pre-connect, whose answer does not matter.
  package static let ofPreconnect = TransportOptions(totalTimeoutMs: 30_000, maxBodyBytes: 64 << 10)

  /// The headers of a request: one of the host's own goes before the user agent, as with libcurl.
  package var headersWithUserAgent: [String] {
    let isOwn = headers.contains { $0.prefix { $0 != ":" }.lowercased() == "user-agent" }
    return isOwn ? headers : ["User-Agent: \(userAgent)"] + headers
  }
}

/// One request.
package struct HTTPRequest: Sendable {
  /// An absolute http or https URL as `ParsedURL` accepts it.
  package let url: String
  /// The same, when who makes the request has read it already.
  let target: ParsedURL?
  /// GET unless it is said.
  package var method = HTTPMethod.get
  /// The entity tag for If-None-Match, with its quotes.
  package var ifNoneMatch: String?
  /// What is accepted of the answer.
  package var hosting = Hosting.strict
  /// What holds for every request.
  package var options: TransportOptions
  /// Where the body of a 200 or 206 goes; nil keeps it in memory. Then no content encoding is accepted, the body of any
  /// other answer is dropped, and the destination's limit takes the place of `maxBodyBytes`.
  package var destination: BodyDestination?

  /// Makes a request to a URL that was read; `text` is its description.
  package init(_ target: ParsedURL, text: String, options: TransportOptions) {
    url = text
    self.target = target
    self.options = options
  }

  /// Makes a request; `maxBodyBytes` replaces the limit of the options.
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

/// A complete answer of any status: redirects and errors are answers too.
package struct HTTPResponse: Sendable, Equatable {
  /// The status of the final answer.
  package var status: Int32
  /// The URL that was asked for.
  package var url: String
  /// The headers that Remora reads.
  package var headers: ResponseHeaders
  /// The decoded body, whole; empty when it had a destination.
  package var body: [UInt8]
  /// Bytes in the destination, those included that were there before.
  package var bodyEnd: Int

  /// Makes an answer.
  package init(
    status: Int32, url: String, headers: ResponseHeaders = ResponseHeaders(), body: [UInt8] = [], bodyEnd: Int = 0
  ) {
    self.status = status
    self.url = url
    self.headers = headers
    self.body = body
    self.bodyEnd = bodyEnd
  }
}

/// Names one transfer of one transport; never used twice in a process.
package struct TransferID: Hashable, Sendable {
  /// The number behind the name.
  package let number: UInt64

  /// Makes a name; for transports.
  package init(number: UInt64) { self.number = number }
}

/// Fetches bytes. Safe from any thread.
package protocol Transport: AnyObject, Sendable {
  /// Receives the outcome of one transfer.
  typealias Completion = @Sendable (Result<HTTPResponse, RemoraError>) -> Void

  /// Starts a transfer and returns at once.
  ///
  /// `completion` runs exactly once on the transport's driving thread, unless the transfer is cancelled. It may start
  /// and cancel transfers, must be quick: all transfers and every fork of the process wait for it.
  ///
  /// - Throws: `.invalidArgument` for a request that cannot be sent, `.unavailable` without libcurl or a thread,
  ///   `.closed` after the transport's final end. `completion` then never runs.
  func start(_ request: HTTPRequest, completion: @escaping Completion) throws(RemoraError) -> TransferID

  /// Ends a transfer without an outcome; its connection is dropped promptly.
  ///
  /// Returns true when the completion will never run; false when it ran, runs or is about to. A destination may be
  /// written to until the driving thread has dropped the transfer: see `BodyDestination`.
  @discardableResult
  func cancel(_ id: TransferID) -> Bool
}
