// SPDX-License-Identifier: Apache-2.0
//
// Clients that share a directory: one fetches, the other takes over what it stored; identities never mix.

import Testing

@testable import Remora

@Suite("Data that another client of the same storage directory stores, and isolation of sources")
struct AdoptionTests {
  let directory: TemporaryDirectory
  let server: SignedServer

  init() throws {
    directory = try TemporaryDirectory()
    server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
  }

  private func scene() throws -> Scene { try Scene(in: directory, server: server) }

  /// The look that the worker takes once a second, now.
  private func look(_ handle: OpenSource) throws {
    Runtime.shared.lock.withLock { Runtime.shared.worker.enqueue($0) { handle.source.adoption.adoptIfNewer($0) } }
    try drainWorker()
  }

  @Test("a client picks up data that another client stored, and sends an event with the cause ADOPTED")
  func adopt() throws {
    let (first, second) = try (scene(), scene())
    let recorder = Recorder()
    let (fetcher, adopter) = try (first.open(), second.open(subscriber: recorder.sink))
    #expect(fetcher.refresh().outcome == .updated)
    try look(adopter)
    #expect(
      recorder.seen(2) == [
        SeenEvent(cause: .opened), SeenEvent(cause: .adopted, old: 0, new: 1000, changes: ["created a"]),
      ])
    let info = try adopter.source.info()
    #expect(info.origin == .fetched)
    #expect(info.version == 1000)
    #expect(info.checkedAgeMs != nil)
    #expect(second.transport.requests.isEmpty)
  }

  @Test("if another client's refresh confirms cached data, the origin changes to FETCHED and no event is sent")
  func confirmedByAnotherClient() throws {
    try scene().fetchAndClose()
    let (first, second) = try (scene(), scene())
    let recorder = Recorder()
    let (fetcher, other) = try (first.open(), second.open(subscriber: recorder.sink))
    #expect(try other.source.info().origin == .cached)
    first.clock.advance(byMs: 5000)
    #expect(fetcher.refresh().outcome == .unchanged)
    try look(other)
    #expect(try other.source.info().origin == .fetched)
    #expect(try other.source.info().checkedAtMs == fetcher.source.info().checkedAtMs)
    #expect(recorder.seen(1).map(\.cause) == [.opened])
    #expect(second.transport.requests.isEmpty)
  }

  @Test("a refresh first picks up data that another client stored, and requests only the changes since that data")
  func adoptAtRefresh() throws {
    let (first, second) = try (scene(), scene())
    let (fetcher, other) = try (first.open(), second.open())
    #expect(fetcher.refresh().outcome == .updated)
    #expect(other.refresh().outcome == .unchanged)
    #expect(other.keys == ["a"])
    #expect(second.transport.urls == ["changeset?_expected=0&_since=1000"])
  }

  @Test("a refresh that waits for another client's refresh uses the data of that refresh without a request")
  func waitForFetcher() throws {
    let (first, second) = try (scene(), scene())
    let (fetcher, other) = try (first.open(), second.open())
    let ends = Completions([])
    let others = try wait(other, for: fetcher, in: first, into: ends)
    let server = server
    first.transport.answer { .success(server.answer($0.url)) }
    first.transport.release(.success(server.answer(first.transport.requests[0].url)))
    #expect(ends.outcomes() == [.updated])
    #expect(others.outcomes() == [.updated])
    #expect(second.transport.requests.isEmpty)
    #expect(other.keys == ["a"])
  }

  @Test("a refresh for an expected version sends its request if another client's refresh has stored an older version")
  func olderThanAnnounced() throws {
    let (first, second) = try (scene(), scene())
    let (fetcher, other) = try (first.open(), second.open())
    let ends = Completions([])
    let others = try wait(other, expecting: 2000, for: fetcher, in: first, into: ends)
    let older = server.answer(first.transport.requests[0].url)
    server.put("b", at: 2000)
    let server = server
    first.transport.answer { .success(server.answer($0.url)) }
    first.transport.release(.success(older))
    #expect(ends.outcomes() == [.updated])
    #expect(others.outcomes() == [.updated])
    #expect(second.transport.urls == ["changeset?_expected=2000&_since=1000"])
    #expect(other.keys == ["a", "b"])
  }

  /// Starts a refresh of `fetcher` that hangs and puts its result into `ends`, and one of `other`, which waits for the
  /// files. Returns the results of the other.
  private func wait(
    _ other: OpenSource, expecting version: Int64 = 0, for fetcher: OpenSource, in first: Scene,
    into ends: Completions = Completions([])
  ) throws -> Completions {
    first.transport.answer { _ in nil }
    _ = try fetcher.source.refreshAsync(into: ends)
    #expect(first.transport.waitForRequests(1))
    let others = Completions([])
    _ = try other.source.refreshAsync(expecting: version, into: others)
    try drainWorker()
    return others
  }

  @Test("a refresh that uses the result of another client's refresh sends exactly one event")
  func oneEventForSharedRefresh() throws {
    let (first, second) = try (scene(), scene())
    let recorder = Recorder()
    let (fetcher, other) = try (first.open(), second.open(subscriber: recorder.sink))
    let ends = try wait(other, for: fetcher, in: first)
    let server = server
    first.transport.answer { .success(server.answer($0.url)) }
    first.transport.release(.success(server.answer(first.transport.requests[0].url)))
    #expect(ends.outcomes() == [.updated])
    try drainWorker()
    #expect(
      recorder.seen(2) == [
        SeenEvent(cause: .opened),
        SeenEvent(cause: .refreshed, outcome: .updated, old: 0, new: 1000, changes: ["created a"]),
      ])
    #expect(second.transport.requests.isEmpty)
  }

  @Test("a refresh that waits while another client resets the source still sends its request")
  func resetWhileWaiting() throws {
    try scene().fetchAndClose()
    let (first, second) = try (scene(), scene())
    let recorder = Recorder()
    let (fetcher, other) = try (first.open(), second.open(subscriber: recorder.sink))
    let ends = try wait(other, for: fetcher, in: first)
    try fetcher.source.reset()
    #expect(ends.outcomes() == [.updated])
    #expect(recorder.seen(3).map(\.cause) == [.opened, .reset, .refreshed])
    #expect(second.transport.urls.first == "changeset?_expected=0")
  }

  @Test("a forced refresh does not wait for another client's; if it cannot store its data, a later refresh stores it")
  func forcedBesideAnotherClient() throws {
    let (first, second) = try (scene(), scene())
    let (fetcher, other) = try (first.open(), second.open())
    first.transport.answer { _ in nil }
    let hanging = Completions([])
    let ticket = try fetcher.source.refreshAsync(into: hanging)
    #expect(first.transport.waitForRequests(1))
    let forced = Completions([])
    _ = try other.source.refreshAsync(isForced: true, into: forced)
    #expect(forced.outcomes() == [.updated])
    #expect(other.keys == ["a"])
    #expect(try other.source.info().storageError?.code == .storage)
    #expect(hanging.read { $0.isEmpty })
    fetcher.source.cancel(ticket)
    try drainWorker()
    #expect(other.refresh().outcome == .unchanged)
    #expect(try other.source.info().storageError == nil)
    second.client.close()
    try #expect(self.scene().keysAndClose() == ["a"])
  }

  @Test("a refresh waits for another client's refresh at most as long as a request may take")
  func waitEnds() throws {
    let (first, second) = try (scene(), Scene(in: directory, server: server, totalTimeoutMs: 30))
    let recorder = Recorder()
    let (fetcher, other) = try (first.open(), second.open(subscriber: recorder.sink))
    let ends = try wait(other, for: fetcher, in: first)
    #expect(ends.outcomes() == [.failed])
    #expect(ends.read { $0.first?.error?.code } == .storage)
    #expect(recorder.seen(2).map(\.outcome) == [.none, .failed])
    #expect(second.transport.requests.isEmpty)
  }

  @Test("after another client resets a source, this client drops the source's data, and accepts an older version later")
  func adoptReset() throws {
    let (first, second) = try (scene(), scene())
    let recorder = Recorder()
    let (fetcher, adopter) = try (first.open(), second.open(subscriber: recorder.sink))
    #expect(fetcher.refresh().outcome == .updated)
    try look(adopter)
    // Unread updates would merge.
    #expect(recorder.seen(2).count == 2)
    try fetcher.source.reset()
    try look(adopter)
    #expect(recorder.seen(3).count == 3)
    #expect(try adopter.source.info().origin == Origin.none)
    let older = try SignedServer(base: server.base)
    older.put("z", at: 500)
    first.transport.answer { .success(older.answer($0.url)) }
    #expect(fetcher.refresh().outcome == .updated)
    try look(adopter)
    #expect(adopter.keys == ["z"])
    #expect(recorder.seen(4).map(\.cause) == [.opened, .adopted, .reset, .adopted])
  }

  @Test("a client does not pick up stored data that is older than the highest version that it has accepted")
  func noRollback() throws {
    let (first, second) = try (scene(), scene())
    let (fetcher, other) = try (first.open(), second.open())
    // What this process accepted is in memory only. Set before the other refreshes: the worker looks each second too.
    Runtime.shared.lock.withLock { other.source.core.state[$0].data.ledger.floor = 2000 }
    #expect(fetcher.refresh().outcome == .updated)
    try look(other)
    #expect(try other.source.info().origin == Origin.none)
  }

  @Test("collections that differ in server, bucket, name or trust policy never share data")
  func isolation() throws {
    let scene = try scene()
    #expect(try scene.open().refresh().outcome == .updated)
    let pin = try TestChain().pin.description
    let others: [(inout CollectionOptions) -> Void] = [
      { $0.server = "https://elsewhere.example/v2" }, { $0.bucket = "main-preview" }, { $0.collection = "d" },
      { $0.signer = "other.content-signature.example" }, { $0.rootSHA256 = pin }, { $0.requiresSignature = false },
      { [server] in $0.server = server.base.dropLast(2) + "v1" },
    ]
    for change in others {
      let handle = try scene.open(change)
      #expect(try handle.source.info().origin == Origin.none)
      #expect(handle.keys.isEmpty)
    }
    try #expect(self.scene().keysAndClose() == ["a"])
  }

  @Test("a stored file of another source is refused as corrupt, even if it has the expected file name")
  func swapped() throws {
    let scene = try scene()
    #expect(try scene.open().refresh().outcome == .updated)
    let mine = StorageName(hashing: try server.dialect().identity)
    let other = StorageName(hashing: try server.dialect(bucket: "other").identity)
    let bytes = try #require(directory.read("storage/\(fileName(.live, of: mine))"))
    try directory.write("storage/\(fileName(.live, of: other))", bytes)
    let second = try self.scene()
    let handle = try second.open { $0.bucket = "other" }
    #expect(try handle.source.info().origin == Origin.none)
    #expect(try handle.source.info().storageError?.code == .corrupt)
  }
}
