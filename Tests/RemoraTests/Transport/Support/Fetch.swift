// SPDX-License-Identifier: Apache-2.0
//
// The transport of the tests, and a blocking fetch over it.

import Testing

@testable import Remora

/// A wall clock that stands still: 2026-11-20T12:00:00Z.
struct FixedClock: Clock {
  let nowMs: Int64 = 1_795_176_000_000
}

/// One transport for all tests, as in a process; its locks are never freed.
enum TestTransport {
  static let shared = make()

  private static let kept = Box<[CurlTransport]>([])

  /// Another transport, for what would disturb the others. It lives on, as its locks do.
  static func make() -> CurlTransport {
    load()
    let transport = CurlTransport(clock: FixedClock(), hasOwnThread: true)
    kept.update { $0.append(transport) }
    return transport
  }

  /// Loads libcurl, once and with the process's runtime.
  static func load() {
    #expect(throws: Never.self) { try Runtime.shared.lock.withLock { try Runtime.shared.loadLibraries($0) } }
  }
}

/// Receives one outcome.
typealias OutcomeBox = Box<[Result<HTTPResponse, RemoraError>]>

extension CurlTransport {
  /// Starts a transfer whose outcome lands in a box.
  func start(_ request: HTTPRequest) throws -> (TransferID, OutcomeBox) {
    let box = OutcomeBox([])
    let id = try start(request) { result in box.update { $0.append(result) } }
    return (id, box)
  }

  /// Fetches and waits.
  func fetch(_ request: HTTPRequest) throws -> HTTPResponse {
    let (_, box) = try start(request)
    return try box.outcome().get()
  }
}

extension Box where Value == [Result<HTTPResponse, RemoraError>] {
  /// The outcome, once it is there.
  func outcome() throws -> Result<HTTPResponse, RemoraError> {
    try #require(wait { !$0.isEmpty }, "no outcome in time")
    return try #require(read { $0.first })
  }
}

/// Fetches a URL over the shared transport.
func fetch(_ url: String, options: TransportOptions = TransportOptions(), tag: String? = nil) throws -> HTTPResponse {
  try TestTransport.shared.fetch(HTTPRequest(url: url, ifNoneMatch: tag, options: options))
}

/// The error that a fetch of a URL ends with.
func fetchError(
  _ url: String, options: TransportOptions = TransportOptions(), sourceLocation: SourceLocation = #_sourceLocation
) throws -> RemoraError {
  let error = #expect(throws: RemoraError.self, sourceLocation: sourceLocation) { try fetch(url, options: options) }
  return try #require(error, sourceLocation: sourceLocation)
}

/// Runs a server with a script, and `body` against it.
func withServer(
  _ script: @escaping LoopbackServer.Script, run body: (LoopbackServer) throws -> Void
) throws {
  let server = try LoopbackServer(script)
  defer { server.stop() }
  try body(server)
}

/// Runs a server that answers every request alike, and `body` against it.
func withServer(answering answer: [UInt8], run body: (LoopbackServer) throws -> Void) throws {
  try withServer({ $0.answerAll { _ in answer } }, run: body)
}
