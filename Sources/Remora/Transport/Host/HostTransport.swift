// SPDX-License-Identifier: Apache-2.0
//
// The transport of a client whose requests the host sends. `HostRequests` has the requests of all such clients.

/// The host's functions for requests. Called on the engine thread, between jobs, with no lock held.
package struct HostCalls: Sendable {
  /// Sends a request to a URL.
  let send: @Sendable (TransferID, HTTPRequest, _ url: String) -> Void
  /// Ends a request that was sent, because its result is no longer needed.
  let cancel: (@Sendable (TransferID) -> Void)?

  package init(
    send: @escaping @Sendable (TransferID, HTTPRequest, _ url: String) -> Void,
    cancel: (@Sendable (TransferID) -> Void)?
  ) {
    self.send = send
    self.cancel = cancel
  }
}

/// Sends the requests of one client by functions of the host.
///
/// `@unchecked Sendable`: `HostRequests` accesses `calls` with its lock held only; everything else is constant.
package final class HostTransport: Transport, @unchecked Sendable {
  /// Runs work on the engine thread after a time.
  package typealias Timer = @Sendable (_ afterMs: Int64, _ work: @escaping @Sendable () -> Void) -> Void

  /// The host's functions; nil after the client was closed.
  var calls: HostCalls?
  /// The number of forks before the transport was created. A forked child does not use it.
  let forks: Int
  let clock: any Clock
  let timer: Timer
  private let requests: HostRequests

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - clock: The wall clock for Retry-After.
  ///   - timer: Ends requests after their total timeout.
  package init(_ requests: HostRequests, _ calls: HostCalls, clock: any Clock, timer: @escaping Timer) {
    self.requests = requests
    self.calls = calls
    self.clock = clock
    self.timer = timer
    forks = requests.forks
  }

  /// The error for requests of a client that was created in a parent process.
  static var ofParent: RemoraError {
    RemoraError(.unavailable, "the client's transport does not work in a forked child: create a new client")
  }

  /// Whether the client was created in a parent process, whose functions a child must not call.
  var isOfParent: Bool { forks != requests.forks }

  /// - Throws: `.unavailable` in a forked child.
  func requireOwn() throws(RemoraError) { if isOfParent { throw Self.ofParent } }

  package func start(
    _ request: HTTPRequest, completion: @escaping Completion
  ) throws(RemoraError) -> TransferID {
    let url = if let target = request.target { target } else { try ParsedURL(request.url) }
    return try requests.add(HostRequests.Pending(request, url, self, completion))
  }

  @discardableResult
  package func cancel(_ id: TransferID) -> Bool { requests.cancel(id) }

  /// Removes the host's functions, so that none of them starts any more. Returns them, to be released after unlocking.
  package func close() -> Any { requests.takeCalls(of: self) as Any }

  /// Waits until a running function of the host has returned, except on the thread that runs it.
  package func waitForCall() { requests.waitForCall(of: self) }
}

extension HTTPRequest {
  /// The text of the URL.
  func text(of parsed: ParsedURL) -> String { target == nil ? parsed.description : url }

  /// The header lines for a transport that decodes content encodings by itself.
  package var headerLines: [String] {
    var lines = options.headersWithUserAgent
    if let destination, destination.offset > 0 { lines.append("Range: bytes=\(destination.offset)-") }
    if let ifNoneMatch { lines.append("If-None-Match: \(ifNoneMatch)") }
    return lines
  }
}
