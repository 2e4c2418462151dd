// SPDX-License-Identifier: Apache-2.0
//
// A client of a server in memory.

import Synchronization

@testable import Remora
@testable import RemoraKit

/// A client with its server and clock.
struct Stage {
  let server = TestServer()
  let clock = TestClock()
  let client: RemoraKit.Client

  /// Creates a client; without a storage directory, it keeps everything in memory.
  init(storage: String? = nil, maximumStale: Duration? = nil) throws {
    var options = ClientOptions(storage: try storage.map { try StorageDirectory.open(path: $0) })
    try options.setCollectionDefaults(server: "\(server.base)/v2")
    options.clock = clock
    options.maxStaleMs = maximumStale?.ms
    options.transport = server
    client = RemoraKit.Client(try Remora.Client(options))
  }

  /// Opens settings whose fetched data is live at once; sends no request.
  func settings(_ change: (inout SettingsSource.Options) -> Void = { _ in }) throws -> SettingsSource {
    var options = SettingsSource.Options(activation: .immediate)
    options.fetchAtOpen = false
    change(&options)
    return try client.settings("\(server.base)/settings", options)
  }

  /// Opens settings and fetches this document.
  func fetched(_ document: String) async throws -> SettingsSource {
    let settings = try settings()
    server.put("/settings", document)
    try await settings.refresh()
    return settings
  }

  /// Opens the collection "c" without signatures.
  func collection(_ change: (inout CollectionSource.Options) -> Void = { _ in }) throws -> CollectionSource {
    var options = CollectionSource.Options(trust: .off)
    change(&options)
    return try client.collection("c", options)
  }

  /// Sets the records of the collection "c".
  func put(_ records: [String], at timestamp: Int64) {
    let changes = records.joined(separator: ",")
    server.put(
      "/v2/buckets/main/collections/c/changeset",
      #"{"timestamp":\#(timestamp),"metadata":{},"changes":[\#(changes)]}"#)
  }
}

/// A wall clock that a test moves.
final class TestClock: Clock {
  private let time = Mutex(SystemClock().nowMs)

  var nowMs: Int64 { time.withLock { $0 } }

  func advance(by duration: Duration) { time.withLock { $0 += duration.ms } }
}
