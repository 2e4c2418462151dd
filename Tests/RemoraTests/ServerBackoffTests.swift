// SPDX-License-Identifier: Apache-2.0
//
// A server's backoff under a clock that jumps.

import Remora
import Testing

@Suite("the server's backoff")
struct ServerBackoffTests {
  /// A wall clock that stands still.
  private struct StoppedClock: Clock {
    let nowMs: Int64
  }

  /// What is left at `nowMs` of a backoff that was stored to last until `untilMs`.
  private func left(ofBackoffUntil untilMs: Int64, atMs nowMs: Int64) throws -> Int64 {
    let directory = try TemporaryDirectory()
    var options = ClientOptions(storage: try StorageDirectory.open(path: directory.path))
    options.clock = StoppedClock(nowMs: nowMs)
    let client = Client(options)
    defer { client.close() }
    var collection = CollectionOptions()
    collection.collection = "backoff"
    collection.requiresSignature = false
    let opened = try client.openCollection(collection)
    defer { opened.close() }
    let name = StorageName(hashing: "server https://firefox.settings.services.mozilla.com/v2")
    try options.storage?.updateServerLedger(name) { $0.backoffUntilMs = untilMs }
    return try opened.source.info().retryAfterMs
  }

  @Test("counts down, and is over when the clock was set back further than a server can ask for")
  func clockSetBack() throws {
    let day = longestRetryAfterMs
    #expect(try left(ofBackoffUntil: 1000 * day + 5, atMs: 1000 * day) == 5)
    #expect(try left(ofBackoffUntil: 1000 * day + 5, atMs: 1000 * day + 6) == 0)
    #expect(try left(ofBackoffUntil: 1001 * day, atMs: 1000 * day) == day)
    #expect(try left(ofBackoffUntil: 1001 * day + 1, atMs: 1000 * day) == 0)
  }
}
