// SPDX-License-Identifier: Apache-2.0
//
// A client over a scripted transport, with the collection of a signed server: what the suites of the engine share.

import Testing

@testable import Remora

/// A client with its server, transport and clock; closed when the last reference goes.
final class Scene {
  let server: SignedServer
  let transport: ScriptedTransport
  let clock: ManualClock
  let client: Client

  /// Opens a client; over `directory` when one is given, else in memory.
  init(
    in directory: TemporaryDirectory? = nil, server: SignedServer? = nil, clock: ManualClock = ManualClock(),
    transport: ScriptedTransport? = nil, calls: SystemCalls = .real, log: Log? = nil,
    onAttempt: (@Sendable (Attempt) -> Void)? = nil, callbacks: CallbackPlace = .thread,
    headers: [String] = [], totalTimeoutMs: Int64 = 120_000, maxStaleMs: Int64? = nil,
    random: @escaping @Sendable () -> UInt32 = { 0 }
  ) throws {
    let server = try server ?? SignedServer.onOwnHost()
    self.server = server
    self.clock = clock
    self.transport = transport ?? server.transport()
    var options = ClientOptions(
      storage: try directory.map { try StorageDirectory.open(path: $0.path("storage"), calls: calls) })
    try options.setCollectionDefaults(server: server.base)
    options.clock = clock
    options.callbacks = callbacks
    try options.transportOptions.setHeaders(headers)
    options.transportOptions.totalTimeoutMs = totalTimeoutMs
    options.maxStaleMs = maxStaleMs
    options.random = random
    options.transport = self.transport
    client = try Client(options, HostFunctions(log: log, onAttempt: onAttempt))
  }

  deinit { client.close() }

  /// Options for the server's collection under its own pin.
  func options() throws -> CollectionOptions {
    var options = CollectionOptions()
    options.collection = "c"
    options.rootSHA256 = try server.chain.pin.description
    options.signer = TestChain.signer
    return options
  }

  /// Opens the server's collection, with changes to its options.
  func open(
    _ change: (inout CollectionOptions) -> Void = { _ in }, subscriber: EventSink? = nil
  ) throws -> OpenSource {
    var options = try options()
    change(&options)
    return try client.openCollection(options, subscriber: subscriber)
  }
}

extension Scene {
  /// Fetches with this client and closes it.
  func fetchAndClose() throws {
    #expect(try open().refresh().outcome == .updated)
    client.close()
  }

  /// The ids that this client finds at its first open; closes it.
  func keysAndClose() throws -> [String] {
    let keys = try open().keys
    client.close()
    return keys
  }
}

extension OpenSource {
  /// Refreshes without a time limit of its own.
  @discardableResult
  func refresh() -> RefreshResult { source.refresh(timeoutMs: -1) }

  /// The ids of what is live, hidden ones too.
  var keys: [String] { (try? keysOf(source.acquire().base)) ?? [] }

  /// The ids that are shown.
  var shown: [String] { get throws { keysOf(try source.acquire()) } }

  var version: Int64? { try? source.info().version }
}

/// The keys of a snapshot in order.
func keysOf(_ snapshot: Snapshot) -> [String] {
  (0..<snapshot.count).compactMap { snapshot.reader.pointee.entry(at: $0) }.map {
    String(decoding: $0.key, as: UTF8.self)
  }
}

/// What an asynchronous refresh came to, once per completion.
typealias Completions = Box<[RefreshResult]>

extension Source {
  /// Refreshes asynchronously; the ends land in a box.
  func refreshAsync(
    isForced: Bool = false, expecting version: Int64 = 0, into ends: Completions
  ) throws -> RefreshWaiter {
    try refreshAsync(RefreshManner(isForced: isForced, expected: version)) { result in
      ends.update { $0.append(result) }
    }
  }
}

extension Box where Value == [RefreshResult] {
  /// The outcomes, once there are so many.
  func outcomes(_ count: Int = 1) -> [Outcome] {
    _ = wait { $0.count >= count }
    return read { $0.map(\.outcome) }
  }
}

/// One event as a test compares it.
struct SeenEvent: Equatable, Sendable {
  var cause: Cause
  var outcome = Outcome.none
  /// The versions before and after.
  var old: Int64 = 0
  var new: Int64 = 0
  /// "created a", in the order of keys.
  var changes: [String] = []
  var error: RemoraError.Code?
  var storageError: RemoraError.Code?
  /// The version that waits for its activation.
  var staged: Int64?
}

/// Collects events.
final class Recorder: Sendable {
  private let events = Box<[SeenEvent]>([])

  /// What to subscribe with.
  var sink: EventSink {
    { [events] event, changes in
      let seen = SeenEvent(
        cause: event.cause, outcome: event.outcome, old: event.old.base.metadata.version,
        new: event.new.base.metadata.version,
        changes: changes.map { "\($0.kind) \(String(decoding: $0.key, as: UTF8.self))" },
        error: event.error?.code, storageError: event.storageError?.code,
        staged: event.staged?.base.metadata.version)
      events.update { $0.append(seen) }
    }
  }

  /// The events, once there are so many.
  func seen(_ count: Int) -> [SeenEvent] {
    _ = events.wait { $0.count >= count }
    return events.read { $0 }
  }

  /// The events so far.
  var all: [SeenEvent] { events.read { $0 } }
}

/// Holds the worker of the process inside a job, so that what a test does meanwhile happens before the next job.
final class BusyWorker: Sendable {
  private let state = Box((isHeld: false, isReleased: false))

  init() throws {
    try Runtime.shared.lock.withLock { locked throws(RemoraError) in
      try Runtime.shared.startWorker(locked)
      Runtime.shared.worker.enqueue(locked) { [state] _ in
        state.update { $0.isHeld = true }
        _ = state.wait { $0.isReleased }
      }
    }
    try #require(state.wait { $0.isHeld })
  }

  deinit { release() }

  func release() { state.update { $0.isReleased = true } }
}

/// Waits until all jobs that the worker has now are done.
func drainWorker() throws { try BusyWorker().release() }
