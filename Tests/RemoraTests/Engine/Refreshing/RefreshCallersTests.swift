// SPDX-License-Identifier: Apache-2.0
//
// Who waits for a refresh: joining, deadlines, giving up, and forcing.

import Testing

@testable import Remora

@Suite("Concurrent callers of a refresh")
struct RefreshCallersTests {
  let scene: Scene
  let source: Source
  private let handle: OpenSource

  init() throws {
    scene = try Scene()
    scene.server.put("a", at: 1000)
    handle = try scene.open()
    source = handle.source
  }

  /// Holds every answer until it is released.
  private func hold() { scene.transport.answer { _ in nil } }

  /// Answers what is held, and everything from now on.
  private func release() {
    let server = scene.server
    scene.transport.answer { .success(server.answer($0.url)) }
    guard let request = scene.transport.requests.last else { return }
    scene.transport.release(.success(server.answer(request.url)))
  }

  @Test("two callers of a refresh share one request")
  func join() throws {
    hold()
    let ends = Completions([])
    _ = try source.refreshAsync(into: ends)
    _ = try source.refreshAsync(into: ends)
    #expect(scene.transport.waitForRequests(1))
    release()
    #expect(ends.outcomes(2) == [.updated, .updated])
    #expect(scene.transport.urls == ["changeset?_expected=0", "chain.pem"])
  }

  @Test("if one of two callers of a refresh times out, the refresh continues for the other")
  func deadline() throws {
    hold()
    let ends = Completions([])
    _ = try source.refreshAsync(into: ends)
    let late = source.refresh(timeoutMs: 1)
    #expect(late.outcome == .failed)
    #expect(late.error?.code == .timeout)
    #expect(scene.transport.waitForRequests(1))
    #expect(scene.transport.cancelCount == 0)
    release()
    #expect(ends.outcomes() == [.updated])
  }

  @Test("10,000 cancelled refreshes leave nothing to search or to do for the next one", arguments: [false, true])
  func manyCancelled(isForced: Bool) throws {
    let ends = Completions([])
    // The engine thread runs no job meanwhile, so it begins none of the refreshes.
    let counts = try source.core.runtime.worker.perform { _ in
      try (0..<10_000).map { _ in
        source.cancel(try source.refreshAsync(isForced: isForced, into: ends))
        return source.core.lock.withLock { source.refreshes.runs.all($0).count }
      }
    }
    #expect(counts.allSatisfy { $0 == 0 })
    #expect(handle.refresh().outcome == .updated)
    #expect(scene.transport.urls == ["changeset?_expected=0", "chain.pem"])
  }

  @Test("of 10,000 callers of one refresh, all but one leave it, and the last one receives its result")
  func manyLeave() throws {
    hold()
    let (gone, ends) = (Completions([]), Completions([]))
    let waiters = try (0..<10_000).map { _ in try source.refreshAsync(into: gone) }
    _ = try source.refreshAsync(into: ends)
    for waiter in waiters { source.cancel(waiter) }
    #expect(scene.transport.waitForRequests(1))
    release()
    #expect(ends.outcomes() == [.updated])
    #expect(gone.wait { $0.count == 10_000 })
    #expect(scene.transport.cancelCount == 0)
  }

  @Test("a refresh with timeout 0 sends no request")
  func noTime() {
    #expect(source.refresh(timeoutMs: 0).error?.code == .timeout)
    #expect(scene.transport.requests.isEmpty)
  }

  @Test("a request is cancelled when its last caller cancels, and a late response changes nothing")
  func lastOneWithdraws() throws {
    let server = scene.server
    let transport = ScriptedTransport(ignoresCancel: true) { _ in nil }
    let scene = try Scene(server: server, transport: transport)
    let recorder = Recorder()
    let handle = try scene.open(subscriber: recorder.sink)
    let ends = Completions([])
    let tickets = try [handle.source.refreshAsync(into: ends), handle.source.refreshAsync(into: ends)]
    #expect(transport.waitForRequests(1))
    handle.source.cancel(tickets[0])
    #expect(transport.cancelCount == 0)
    handle.source.cancel(tickets[1])
    #expect(transport.cancelCount == 1)
    #expect(ends.outcomes(2) == [.failed, .failed])
    #expect(ends.read { $0.allSatisfy { $0.error?.code == .cancelled } })
    transport.answer { .success(server.answer($0.url)) }
    transport.release(.success(server.answer(transport.requests[0].url)))
    #expect(handle.refresh().outcome == .updated)
    #expect(recorder.seen(2).map(\.outcome) == [.none, .updated])
    #expect(transport.urls == ["changeset?_expected=0", "changeset?_expected=0", "chain.pem"])
  }

  @Test("a refresh that starts after all callers of the previous one have cancelled sends a new request")
  func afterTheLast() throws {
    hold()
    let ends = Completions([])
    let first = try source.refreshAsync(into: ends)
    #expect(scene.transport.waitForRequests(1))
    let busy = try BusyWorker()
    source.cancel(first)
    _ = try source.refreshAsync(into: ends)
    let server = scene.server
    scene.transport.answer { .success(server.answer($0.url)) }
    busy.release()
    #expect(ends.outcomes(2) == [.failed, .updated])
    #expect(scene.transport.urls == ["changeset?_expected=0", "changeset?_expected=0", "chain.pem"])
  }

  @Test("a refresh that is cancelled while its first response is processed sends no further request")
  func cancelWhileDecoding() throws {
    hold()
    let ends = Completions([])
    let (source, clock, server) = (source, scene.clock, scene.server)
    let first = try source.refreshAsync(into: ends)
    #expect(scene.transport.waitForRequests(1))
    // The answer is in a job of the worker when the clock is looked at next.
    clock.atNextLook { source.cancel(first) }
    scene.transport.release(.success(server.answer(scene.transport.requests[0].url)))
    #expect(ends.outcomes() == [.failed])
    try drainWorker()
    #expect(scene.transport.urls == ["changeset?_expected=0"])
    #expect(try source.info().origin == Origin.none)
  }

  @Test("a refresh that is cancelled while its last response is processed does not change what reads return")
  func cancelWhileVerifying() throws {
    let server = scene.server
    // A policy of off ends with its first answer.
    let handle = try scene.open { $0.requiresSignature = false }
    let source = handle.source
    hold()
    let ends = Completions([])
    let first = try source.refreshAsync(into: ends)
    #expect(scene.transport.waitForRequests(1))
    scene.clock.atNextLook { source.cancel(first) }
    scene.transport.release(.success(server.answer(scene.transport.requests[0].url)))
    #expect(ends.outcomes() == [.failed])
    try drainWorker()
    #expect(try source.info().origin == Origin.none)
    scene.transport.answer { .success(server.answer($0.url)) }
    #expect(handle.refresh().outcome == .updated)
    #expect(scene.transport.urls == ["changeset?_expected=0", "changeset?_expected=0"])
  }

  @Test("a refresh that starts when the previous one has reported its outcome sends a new request")
  func afterTheOutcome() throws {
    let directory = try TemporaryDirectory()
    let atUnlock = Box<(@Sendable () -> Void)?>(nil)
    var calls = SystemCalls.real
    let real = calls.files.lock
    calls.files.lock = { file, byte, exclusive in
      // The files are given back between the event and the end of the run.
      let call =
        exclusive
        ? nil
        : atUnlock.update { call in
          defer { call = nil }
          return call
        }
      call?()
      return real(file, byte, exclusive)
    }
    let scene = try Scene(in: directory, server: scene.server, calls: calls)
    let handle = try scene.open()
    let ends = Completions([])
    let source = handle.source
    atUnlock.update { $0 = { _ = try? source.refreshAsync(into: ends) } }
    #expect(handle.refresh().outcome == .updated)
    #expect(ends.outcomes() == [.unchanged])
    #expect(scene.transport.urls.filter { $0.hasPrefix("changeset") }.count == 2)
  }

  @Test("a forced refresh and a later ordinary refresh send separate requests")
  func forcedIsNotJoined() throws {
    hold()
    let ends = Completions([])
    _ = try source.refreshAsync(isForced: true, into: ends)
    #expect(scene.transport.waitForRequests(1))
    _ = try source.refreshAsync(into: ends)
    release()
    #expect(ends.outcomes(2) == [.updated, .unchanged])
    #expect(scene.transport.urls.filter { $0.hasPrefix("changeset") }.count == 2)
  }

  @Test("if a forced refresh succeeds while another refresh hangs, both refreshes end with the same outcome")
  func forcedBesideHanging() throws {
    hold()
    let (hanging, forced) = (Completions([]), Completions([]))
    _ = try source.refreshAsync(into: hanging)
    #expect(scene.transport.waitForRequests(1))
    let server = scene.server
    scene.transport.answer { .success(server.answer($0.url)) }
    _ = try source.refreshAsync(isForced: true, into: forced)
    #expect(forced.outcomes() == [.updated])
    #expect(hanging.outcomes() == [.updated])
    #expect(scene.transport.cancelCount == 1)
    #expect(scene.transport.urls.filter { $0.hasPrefix("changeset") }.count == 2)
  }

  @Test("a forced refresh that fails does not affect the result of an earlier refresh")
  func forcedFails() throws {
    hold()
    let (hanging, forced) = (Completions([]), Completions([]))
    _ = try source.refreshAsync(into: hanging)
    #expect(scene.transport.waitForRequests(1))
    scene.transport.answer { _ in .success(.answer(500)) }
    _ = try source.refreshAsync(isForced: true, into: forced)
    #expect(forced.outcomes() == [.failed])
    #expect(hanging.read { $0.isEmpty })
    release()
    #expect(hanging.outcomes() == [.updated])
  }

  @Test("a refresh sends no further request after another refresh of the source received Retry-After")
  func pausedByAnother() throws {
    hold()
    let (first, forced) = (Completions([]), Completions([]))
    _ = try source.refreshAsync(into: first)
    #expect(scene.transport.waitForRequests(1))
    scene.transport.answer { _ in .success(.answer(503, "", [("Retry-After", "60")])) }
    _ = try source.refreshAsync(isForced: true, into: forced)
    #expect(forced.outcomes() == [.failed])
    release()
    #expect(first.outcomes() == [.failed])
    #expect(try source.info().lastError?.code == .backoff)
    #expect(scene.transport.urls == ["changeset?_expected=0", "changeset?_expected=0"])
  }

  /// Starts a refresh and a forced one, and answers the first. Returns the ends of the forced one, whose answer is
  /// held.
  private func overtakeForced() throws -> Completions {
    let before = scene.transport.requests.count
    hold()
    let (first, forced) = (Completions([]), Completions([]))
    _ = try source.refreshAsync(into: first)
    #expect(scene.transport.waitForRequests(before + 1))
    _ = try source.refreshAsync(isForced: true, into: forced)
    #expect(scene.transport.waitForRequests(before + 2))
    let server = scene.server
    let requests = scene.transport.requests
    scene.transport.answer { .success(server.answer($0.url)) }
    scene.transport.release(.success(server.answer(requests[before].url)))
    #expect(first.outcomes() == [.updated])
    #expect(forced.read { $0.isEmpty })
    scene.transport.release(.success(server.answer(requests[before + 1].url)))
    return forced
  }

  private var changesets: [String] { scene.transport.urls.filter { $0.hasPrefix("changeset") } }

  @Test("a full response is used even if another refresh has changed the data since the request")
  func forcedIsOvertaken() throws {
    #expect(try overtakeForced().outcomes() == [.unchanged])
    #expect(changesets == ["changeset?_expected=0", "changeset?_expected=0"])
  }

  @Test("a diff is requested again if another refresh has changed the data since the request")
  func forcedDiffIsOvertaken() throws {
    handle.refresh()
    scene.server.put("b", at: 2000)
    #expect(try overtakeForced().outcomes() == [.unchanged])
    #expect(
      changesets.dropFirst() == [
        "changeset?_expected=0&_since=1000", "changeset?_expected=0&_since=1000", "changeset?_expected=0&_since=2000",
      ])
  }

  @Test("concurrent refreshes of a source share the lock of its files, which is free after all have ended")
  func sharedFiles() throws {
    let directory = try TemporaryDirectory()
    let scene = try Scene(in: directory, server: scene.server)
    let source = try scene.open().source
    scene.transport.answer { _ in nil }
    let (hanging, forced) = (Completions([]), Completions([]))
    let ticket = try source.refreshAsync(into: hanging)
    #expect(scene.transport.waitForRequests(1))
    let server = scene.server
    scene.transport.answer { .success(server.answer($0.url)) }
    _ = try source.refreshAsync(isForced: true, into: forced)
    #expect(forced.outcomes() == [.updated])
    source.cancel(ticket)
    try drainWorker()
    // The last of them has released the files.
    let lock = try StorageDirectory.open(path: directory.path("storage")).tryLock(source.name)
    #expect(lock != nil)
    lock?.unlock()
    scene.client.close()
    #expect(try Scene(in: directory, server: server).keysAndClose() == ["a"])
  }

  @Test("cancelling a completed refresh has no effect, and its completion callback is called only once")
  func cancelAfterEnd() throws {
    let ends = Completions([])
    let ticket = try source.refreshAsync(into: ends)
    #expect(ends.outcomes() == [.updated])
    source.cancel(ticket)
    #expect(handle.refresh().outcome == .unchanged)
    #expect(ends.outcomes() == [.updated])
  }

  @Test("if 16 threads refresh the same source at the same time, each receives UPDATED or UNCHANGED")
  func crowd() {
    let ends = Box<[Outcome]>([])
    let threads = (0..<16).compactMap { _ in
      try? NamedThread.startAsHost(name: "test-refresh") { [source] in
        let outcome = source.refresh(timeoutMs: longestWaitMs).outcome
        ends.update { $0.append(outcome) }
      }
    }
    for thread in threads { #expect(thread.join(untilMonotonicMs: monotonicMs() + longestWaitMs)) }
    #expect(ends.read { $0.count == 16 && $0.allSatisfy { $0 == .updated || $0 == .unchanged } })
  }
}
