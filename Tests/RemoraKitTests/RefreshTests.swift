// SPDX-License-Identifier: Apache-2.0

import RemoraKit
import Testing

@Suite("Refreshing sources", .timeLimit(.minutes(2)))
struct RefreshTests {
  @Test("When a refresh returns, the new data can be read")
  func outcome() async throws {
    let stage = try Stage()
    stage.put([#"{"id":"a","last_modified":5,"n":1}"#], at: 5)
    let collection = try stage.collection()
    #expect(try await collection.refresh() == .updated)
    #expect(try collection.int("a", "/n", default: 0) == 1 && collection.snapshot.version == 5)
    stage.put([], at: 5)
    #expect(try await collection.refresh(expectedVersion: 5) == .unchanged)
    #expect(collection.name == "main/c" && collection.server == "\(stage.server.base)/v2")
  }

  @Test("A failed refresh throws an error with the HTTP status and the source, and reads still return the earlier data")
  func failure() async throws {
    let stage = try Stage()
    let settings = try await stage.fetched(#"{"a":1}"#)
    stage.server.put("/settings", "", status: 503, [("Retry-After", "30")])
    let error = try await #require(throws: RemoraError.self) { try await settings.refresh() }
    #expect(error.code == .http && error.family == .network && error.httpStatus == 503)
    #expect(error.retryAfter == .seconds(30) && error.sourceName == settings.name)
    #expect(settings.int("a", default: 0) == 1)
    #expect(try settings.info().lastError == error)
    let pause = try await #require(throws: RemoraError.self) { try await settings.refresh() }
    #expect(pause.code == .backoff && stage.server.urls.count == 2)
  }

  @Test("A cancelled refresh throws CancellationError, and its request is cancelled when no other caller waits for it")
  func cancelled() async throws {
    let stage = try Stage()
    let settings = try stage.settings()
    stage.server.hold()
    let task = Task { try await settings.refresh() }
    await stage.server.requests(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await stage.server.cancellations(1)
  }

  @Test("A refresh continues for its other callers when one caller is cancelled")
  func shared() async throws {
    let stage = try Stage()
    let settings = try stage.settings()
    stage.server.put("/settings", #"{"a":1}"#)
    stage.server.hold()
    let first = Task { try await settings.refresh() }
    await stage.server.requests(1)
    let second = Task { try await settings.wait() }
    let third = try stage.settings()
    async let other = third.refresh()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    stage.server.release()
    #expect(try await other == .updated)
    let fresh = try await second.value
    #expect(fresh.error == nil && fresh.int("a", default: 0) == 1)
    #expect(settings.int("a", default: 0) == 1)
  }

  @Test("A refresh in a task that is already cancelled sends no request")
  func cancelledBefore() async throws {
    let stage = try Stage()
    let settings = try stage.settings()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await settings.refresh()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(stage.server.urls == [])
  }

  @Test("A refresh fails with a timeout when its time limit has passed, and a negative time limit is refused")
  func timeout() async throws {
    let stage = try Stage()
    let settings = try stage.settings()
    stage.server.hold()
    for limit in [Duration.zero, .milliseconds(5)] {
      let error = try await #require(throws: RemoraError.self) { try await settings.refresh(timeout: limit) }
      #expect(error.code == .timeout)
    }
    let error = try await #require(throws: RemoraError.self) { try await settings.refresh(timeout: .seconds(-1)) }
    #expect(error.code == .invalidArgument)
    let version = try await #require(throws: RemoraError.self) { try await settings.refresh(expectedVersion: 3) }
    #expect(version.code == .invalidArgument && version.message.hasPrefix("expectedVersion "))
  }

  @Test(
    "If the source or the client is closed, calls that are waiting fail with the error \"closed\"",
    arguments: [true, false])
  func closed(theClient: Bool) async throws {
    let stage = try Stage()
    let settings = try stage.settings()
    stage.server.hold()
    let task = Task { try await settings.refresh() }
    let waiting = Task { try await settings.wait() }
    await stage.server.requests(1)
    if theClient { stage.client.close() } else { settings.close() }
    let error = try await #require(throws: RemoraError.self) { try await task.value }
    #expect(error.code == .closed && error.sourceName == settings.name)
    #expect(try await waiting.value.error?.code == .closed)
    #expect(throws: RemoraError.self) { try settings.prefetch() }
  }

  @Test("A source and its client are freed after a cancelled refresh")
  func freed() async throws {
    weak var source: SettingsSource?
    weak var client: Client?
    do {
      let stage = try Stage()
      let settings = try stage.settings()
      (source, client) = (settings, stage.client)
      stage.server.hold()
      let task = Task { [settings] in try await settings.refresh() }
      await stage.server.requests(1)
      task.cancel()
      _ = await task.result
      await stage.server.cancellations(1)
    }
    #expect(source == nil && client == nil)
  }

  @Test("wait() returns the current data and an error if no fresh data arrives")
  func waiting() async throws {
    let stage = try Stage()
    let settings = try await stage.fetched(#"{"a":1}"#)
    #expect(try await settings.wait().error == nil)
    #expect(stage.server.urls.count == 1)
    stage.clock.advance(by: .seconds(7200))
    stage.server.put("/settings", "{", status: 200)
    let stale = try await settings.wait()
    #expect(stale.error?.code == .parse && stale.int("a", default: 0) == 1)
    #expect(stage.server.urls.count == 2)
  }

  @Test("A sync refreshes all sources of a client and reports the outcome of each source")
  func sync() async throws {
    let stage = try Stage()
    let settings = try stage.settings()
    let bundle = try stage.client.bundle(
      "\(stage.server.base)/missing",
      {
        var o = BundleSource.Options(); o.fetchAtOpen = false; return o
      }())
    stage.server.put("/settings", #"{"a":1}"#)
    let report = try await stage.client.sync(timeout: .seconds(60))
    #expect(report.items.map(\.sourceName) == [settings.name, bundle.name])
    #expect(report.items.map(\.outcome) == [.updated, .failed])
    #expect(report.items[1].error?.httpStatus == 404 && report.error?.code == .http)
  }

  @Test("A refresh and a wait that only fill an empty source send no request once it has data, unless they are forced")
  func onlyIfEmpty() async throws {
    let stage = try Stage()
    let settings = try stage.settings { $0.ttl = .zero }
    stage.server.put("/settings", #"{"a":1}"#)
    #expect(try await settings.refresh(onlyIfEmpty: true) == .updated)
    #expect(try await settings.refresh(onlyIfEmpty: true) == .none)
    #expect(try await settings.wait(onlyIfEmpty: true).error == nil)
    #expect(try await stage.client.sync(onlyIfEmpty: true).items.map(\.outcome) == [.none])
    #expect(stage.server.urls.count == 1)
    stage.server.put("/settings", "", status: 503, [("Retry-After", "30")])
    #expect(try await settings.wait().error?.httpStatus == 503)
    #expect(try await settings.wait().error?.code == .backoff)
    stage.server.put("/settings", #"{"a":2}"#)
    #expect(try await settings.wait(force: true).int("a", default: 0) == 2)
    #expect(try await stage.client.sync(force: true).items.map(\.outcome) == [.unchanged])
    #expect(stage.server.urls.count == 4)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await settings.refresh(force: true, onlyIfEmpty: true) },
      { _ = try await stage.client.sync(force: true, onlyIfEmpty: true) },
    ]
    for call in calls {
      let error = try await #require(throws: RemoraError.self) { try await call() }
      #expect(error.parameter == "onlyIfEmpty")
    }
  }

  @Test("A cancelled wait, sync or download throws CancellationError, and its request is cancelled")
  func cancelledWaits() async throws {
    weak var client: Client?
    client = try await Self.cancelWaits()
    #expect(client == nil)
  }

  /// Cancels a call of each kind while its request is running. Returns the client, which is not used any more.
  private static func cancelWaits() async throws -> Client {
    let stage = try Stage()
    let (settings, collection) = (try stage.settings(), try stage.collection())
    let hash = String(repeating: "0", count: 64)
    let attachment = #"{"location":"main/x","filename":"x","mimetype":"t","size":5,"hash":"\#(hash)"}"#
    stage.put([#"{"id":"a","last_modified":5,"attachment":\#(attachment)}"#], at: 5)
    try await collection.refresh()
    stage.server.hold()
    let waits: [@Sendable () async throws -> Void] = [
      { _ = try await settings.wait() },
      { _ = try await stage.client.sync() },
      { _ = try await collection.attachment(of: "a") },
    ]
    for wait in waits {
      let (sent, cancelled) = (stage.server.urls.count, stage.server.cancellationCount)
      let task = Task { try await wait() }
      await stage.server.requests(sent + 1)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      await stage.server.cancellations(cancelled + 1)
    }
    return stage.client
  }
}
