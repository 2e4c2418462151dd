// SPDX-License-Identifier: Apache-2.0

import RemoraKit
import Synchronization
import Testing

@Suite("Transports, clocks and the test server", .timeLimit(.minutes(2)))
struct HostingTests {
  @Test("A program keeps its values while the test server fails, and gets the new ones after the requested pause")
  func testKit() async throws {
    let (server, clock) = (RemoraKit.TestServer(), RemoraKit.TestClock())
    try server.publish("demo", ["limits": ["max_uploads": 5]])
    let client = try Client(
      Client.Configuration(storageDirectory: nil, server: server.url, transport: server, clock: clock))
    let demo = try client.collection("demo", CollectionSource.Options(trust: .off))
    #expect(try await demo.refresh() == .updated)
    #expect(demo.int("limits", "/max_uploads", default: 0) == 5)

    try server.publish("demo", ["limits": ["max_uploads": 6]])
    server.failNext(status: 503, retryAfter: .seconds(30))
    let failure = try await #require(throws: RemoraError.self) { try await demo.refresh() }
    #expect(failure.httpStatus == 503 && failure.retryAfter == .seconds(30))
    let pause = try await #require(throws: RemoraError.self) { try await demo.refresh() }
    #expect(pause.code == .backoff && demo.int("limits", "/max_uploads", default: 0) == 5)

    await clock.advance(by: .seconds(30))
    #expect(try await demo.refresh() == .updated)
    #expect(demo.int("limits", "/max_uploads", default: 0) == 6)
    #expect(try demo.info().checkedAtMs == clock.now.wallMs && demo.snapshot.version == 2000)
  }

  @Test("The test server answers syncs, bundles and settings, and is down until it is up again")
  func documents() async throws {
    let server = RemoraKit.TestServer()
    let client = try Client(Client.Configuration(storageDirectory: nil, server: server.url, transport: server))
    let demo = try client.collection("demo", CollectionSource.Options(trust: .off))
    let settings = try client.settings(
      "\(server.url)/app", SettingsSource.Options(params: ["user": "u1"], activation: .immediate, fetchAtOpen: false))
    try server.publish("demo", ["a": ["n": 1]], timestamp: 5000)
    server.publishDocument(["n": 2], at: "\(server.url)/app")
    let report = try await client.sync()
    #expect(report.updated == 2 && report.failed == 0 && report.items.map(\.kind) == [.collection, .settings])
    #expect(demo.int("a", "/n", default: 0) == 1 && settings.int("n", default: 0) == 2)
    #expect(server.requests.count == 3 && server.requests.allSatisfy { $0.method == "GET" })
    #expect(server.requests[0].headers.contains { $0.hasPrefix("User-Agent: ") })

    server.isDown = true
    let error = try await #require(throws: RemoraError.self) { try await settings.refresh() }
    #expect(error.code == .network && error.message.contains("the test server is down"))
    server.isDown = false
    #expect(try await settings.refresh() == .unchanged)
    #expect(throws: RemoraError.self) { try server.publish("demo", [:], timestamp: 5000) }
    #expect(throws: RemoraError.self) { try server.publish("demo", ["a": 1]) }
    let missing = try client.settings("\(server.url)/none", SettingsSource.Options(fetchAtOpen: false))
    let notFound = try await #require(throws: RemoraError.self) { try await missing.refresh() }
    #expect(notFound.httpStatus == 404)
  }

  @Test("A call with a timeout ends when the test moves the clock beyond the timeout")
  func timeout() async throws {
    let (held, clock) = (HeldTransport(), RemoraKit.TestClock(startMs: 1_000_000))
    let settings = try held.client(clock)
      .settings("https://settings.test", SettingsSource.Options(fetchAtOpen: false))
    let task = Task { try await settings.refresh(timeout: .seconds(5)) }
    await held.started()
    await clock.advance(by: .seconds(6))
    let error = try await #require(throws: RemoraError.self) { try await task.value }
    #expect(error.code == .timeout)
    await held.cancelled()
    #expect(clock.now == ClientTime(wallMs: 1_006_000, monotonicMs: 6_000))
  }

  @Test("The task of a request is cancelled with its refresh, and when the client is closed", arguments: [true, false])
  func cancelled(theClient: Bool) async throws {
    let held = HeldTransport()
    let client = try held.client()
    let settings = try client.settings("https://settings.test", SettingsSource.Options(fetchAtOpen: false))
    let task = Task { try await settings.refresh() }
    await held.started()
    if theClient { client.close() } else { task.cancel() }
    await held.cancelled()
    await #expect(throws: (any Error).self) { try await task.value }
  }

  private struct Broken: Error {}

  /// Returns the code with which a refresh fails if a transport answers in this way.
  private static func code(_ answer: @escaping @Sendable () throws -> HTTPResponse) async throws -> RemoraError.Code? {
    let transport = ClosureTransport { _ in try answer() }
    let client = try Client(Client.Configuration(storageDirectory: nil, transport: transport))
    let settings = try client.settings("https://settings.test", SettingsSource.Options(fetchAtOpen: false))
    do { try await settings.refresh() } catch let error as RemoraError { return error.code }
    return nil
  }

  @Test("An error of a transport is a network or TLS error, and a malformed response is a network error")
  func failures() async throws {
    #expect(try await Self.code { throw Broken() } == .network)
    #expect(try await Self.code { HTTPResponse(status: 99) } == .network)
    #expect(try await Self.code { HTTPResponse(headers: ["no colon"]) } == .network)
    #expect(try await Self.code { HTTPResponse(status: 404) } == .http)
    #expect(try await Self.code { HTTPResponse(body: Array("{".utf8)) } == .parse)
    #expect(try await Self.code { HTTPResponse(body: [UInt8](repeating: 32, count: 17 << 20)) } == .tooLarge)
  }
}

/// A transport that is a closure.
private struct ClosureTransport: HTTPTransport {
  let answer: @Sendable (HTTPRequest) async throws -> HTTPResponse

  func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await answer(request) }
}

/// A transport that answers only when the task of the request is cancelled.
private final class HeldTransport: HTTPTransport {
  private let starts = AsyncStream.makeStream(of: Void.self)
  private let ends = AsyncStream.makeStream(of: Void.self)

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    starts.continuation.yield()
    let never = AsyncStream<Void> { _ in }
    for await _ in never {}
    ends.continuation.yield()
    throw CancellationError()
  }

  func started() async { _ = await starts.stream.first { _ in true } }
  func cancelled() async { _ = await ends.stream.first { _ in true } }

  func client(_ clock: RemoraKit.TestClock? = nil) throws -> Client {
    try Client(Client.Configuration(storageDirectory: nil, transport: self, clock: clock))
  }
}
