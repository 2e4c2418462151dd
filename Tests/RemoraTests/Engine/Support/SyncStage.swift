// SPDX-License-Identifier: Apache-2.0
//
// A client with several collections of one server, and what it asked for.

@testable import Remora

/// A client with collections "a" to "d" on one server, each with one record at 1000.
struct SyncStage {
  let scene: Scene
  let server: MonitoredServer
  let handles: [OpenSource]

  init(
    _ names: [String] = ["a", "b", "c", "d"], in directory: TemporaryDirectory? = nil, base: String? = nil,
    log: Log? = nil
  ) throws {
    let plain = try base.map { try SignedServer(base: $0) } ?? SignedServer.onOwnHost()
    let server = try MonitoredServer(names, base: plain.base)
    for name in names { server[name].put("r", at: 1000) }
    self.server = server
    let scene = try Scene(
      in: directory, server: plain, transport: ScriptedTransport { server.answer($0.url) }, log: log)
    self.scene = scene
    handles = try names.map { name in
      try scene.open {
        $0.collection = name
        $0.requiresSignature = false
      }
    }
  }

  func sync() throws -> SyncReport { try scene.client.sync(timeoutMs: -1) }

  /// What was asked for since the last look, sorted but for the first.
  func asked(since count: Int = 0) -> [String] {
    let all = scene.transport.requests.dropFirst(count).map(\.short)
    return all.prefix(1) + all.dropFirst().sorted()
  }

  var count: Int { scene.transport.requests.count }
}

extension SyncReport {
  var outcomes: [Outcome] { items.map(\.result.outcome) }
  var codes: [RemoraError.Code?] { items.map { $0.result.error?.code } }
}
