// SPDX-License-Identifier: Apache-2.0
//
// Answers that take long to decode: everything else goes on meanwhile, and their results meet what has happened.

import Glibc
import Testing

@testable import Remora

// One at a time: there is one decoder for all.
@Suite("Decoding of large responses on a second thread", .serialized)
struct LargeResponseTests {
  let directory: TemporaryDirectory
  let scene: Scene
  let hold = DecodingHold()
  /// The source whose decoding is held.
  let big: OpenSource
  /// A source of the same client with a small document.
  let small: OpenSource
  let ends = Completions([])

  init() throws {
    directory = try TemporaryDirectory()
    scene = try Scene(in: directory)
    scene.server.put("a", bigField, at: 2000)
    let (server, other) = (scene.server, try SignedServer(base: scene.server.base))
    other.put("b", at: 1000)
    scene.transport.answer { .success(($0.url.contains("/other/") ? other : server).answer($0.url)) }
    big = try scene.client.open(HeldDialect(base: server.dialect(), hold: hold), SourceOptions())
    var options = SourceOptions()
    options.activation = .manual
    small = try scene.client.open(server.dialect(bucket: "other"), options)
  }

  /// Starts a refresh, until its answer is being decoded.
  private func beginDecoding() throws {
    _ = try big.source.refreshAsync(into: ends)
    try #require(hold.waitUntilHeld())
  }

  @Test("other operations of a client complete while a large response is being decoded")
  func othersGoOn() throws {
    try beginDecoding()
    #expect(small.refresh().outcome == .staged)
    #expect(try small.source.activate() == .updated)
    try small.set("b", "/v", "2")
    try big.set("x", "", "{}")
    try scene.client.setContext(#"{"locale":"de"}"#)
    small.close()
    #expect(ends.read { $0.isEmpty })
    hold.release()
    #expect(ends.outcomes() == [.updated])
    #expect(big.keys == ["a"])
  }

  @Test("a diff is requested again if another refresh replaced the current data while the diff was decoded")
  func replacedBase() throws {
    let (server, transport) = (scene.server, scene.transport)
    server.put("a", at: 2000)
    #expect(big.refresh().outcome == .updated)
    server.put("b", at: 3000)
    let earlier = server.answer("changeset?_since=2000")
    server.put("c", bigField, at: 4000)
    // The first request is held; the forced one behind it is answered at once.
    let count = transport.requests.count
    transport.answer { [unowned transport] in
      transport.requests.count == count ? nil : .success(server.answer($0.url))
    }
    _ = try big.source.refreshAsync(into: ends)
    #expect(transport.waitForRequests(count + 1))
    let forced = Completions([])
    _ = try big.source.refreshAsync(isForced: true, into: forced)
    try #require(hold.waitUntilHeld())
    transport.release(.success(earlier))
    #expect(ends.outcomes() == [.updated])
    #expect(big.version == 3000)
    hold.release()
    #expect(forced.outcomes() == [.updated])
    #expect(transport.urls.last == "changeset?_expected=0&_since=3000")
    #expect(big.keys == ["a", "b", "c"])
  }

  @Test("a full response is used even if another refresh replaced the current data while the response was decoded")
  func wholeAnswer() throws {
    let transport = scene.transport
    let (server, earlier) = (scene.server, try SignedServer(base: scene.server.base))
    earlier.put("z", at: 1000)
    transport.answer { [unowned transport] in transport.requests.isEmpty ? nil : .success(server.answer($0.url)) }
    _ = try big.source.refreshAsync(into: ends)
    #expect(transport.waitForRequests(1))
    let forced = Completions([])
    _ = try big.source.refreshAsync(isForced: true, into: forced)
    try #require(hold.waitUntilHeld())
    transport.release(.success(earlier.answer("changeset")))
    #expect(ends.outcomes() == [.updated])
    #expect(big.keys == ["z"])
    hold.release()
    #expect(forced.outcomes() == [.updated])
    #expect(big.keys == ["a"])
    #expect(transport.urls.filter { $0.hasPrefix("changeset") }.count == 2)
  }

  @Test(
    "a large file is written on the decoder thread, or on the engine thread if that write fails",
    arguments: [false, true])
  func written(failsFirst: Bool) throws {
    let writers = Box<[String]>([])
    var calls = SystemCalls()
    let write = calls.files.write
    calls.files.write = { file, bytes, offset in
      guard bytes.count > 300_000 else { return write(file, bytes, offset) }
      writers.update { $0.append(threadName()) }
      return failsFirst && writers.read({ $0.count == 1 }) ? Int(-ENOSPC) : write(file, bytes, offset)
    }
    let scene = try Scene(in: directory, server: scene.server, calls: calls)
    let source = try scene.open()
    #expect(source.refresh().outcome == .updated)
    #expect(writers.read { $0 } == ["remora-decoder"] + (failsFirst ? ["remora-engine"] : []))
    scene.client.close()
    let next = try Scene(in: directory, server: scene.server)
    #expect(try next.open().keys == ["a"])
  }

  @Test("a reset completes while a response is being decoded, and the response changes nothing")
  func reset() throws {
    try beginDecoding()
    try big.source.reset()
    #expect(ends.wait { $0.first?.error?.code == .cancelled })
    hold.release()
    // Its answer is decoded behind the other one.
    #expect(big.refresh().outcome == .updated)
    #expect(big.keys == ["a"])
  }

  @Test("if the client is closed while a response is being decoded, blocked calls return and the lock is released")
  func close() throws {
    let result = Box<RefreshResult?>(nil)
    let source = big.source
    let caller = try NamedThread.startAsHost(name: "test-caller") {
      let ended = source.refresh(timeoutMs: -1)
      result.update { $0 = ended }
    }
    try #require(hold.waitUntilHeld())
    scene.client.close()
    #expect(result.wait { $0?.error?.code == .closed })
    #expect(caller.join(untilMonotonicMs: monotonicMs() + longestWaitMs))
    let server = try SignedServer(base: scene.server.base)
    server.put("n", at: 1000)
    let next = try Scene(in: directory, server: server)
    #expect(try next.open().refresh().outcome == .updated)
    hold.release()
  }

  @Test("a refresh that is cancelled while its response is decoded fails and does not affect the next refresh")
  func cancel() throws {
    let waiter = try big.source.refreshAsync(into: ends)
    try #require(hold.waitUntilHeld())
    big.source.cancel(waiter)
    hold.release()
    #expect(big.refresh().outcome == .updated)
    #expect(ends.outcomes() == [.failed])
  }
}

/// The name of the calling thread.
private func threadName() -> String {
  let name = try? readFile("/proc/thread-self/comm", limit: 64)
  return String(decoding: name ?? [], as: UTF8.self).filter { $0 != "\n" }
}

/// A member that makes a record's document a big one.
private let bigField = #""v":""# + String(repeating: "x", count: 300_000) + #"""#
