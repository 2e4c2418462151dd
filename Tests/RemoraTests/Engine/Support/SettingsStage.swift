// SPDX-License-Identifier: Apache-2.0
//
// A client of settings, and what their server says.

@testable import Remora

/// A client with its own server of settings.
final class SettingsStage {
  let scene: Scene
  private let answer = Box<HTTPOutcome>(.success(.answer(200, "{}")))

  init(
    in directory: TemporaryDirectory? = nil, clock: ManualClock = ManualClock(), base: SettingsStage? = nil,
    log: Log? = nil, random: UInt32 = 0
  ) throws {
    scene = try Scene(
      in: directory, server: base?.scene.server, clock: clock, transport: base?.transport, log: log, random: { random })
    guard base == nil else { return }
    transport.answer { [answer] _ in answer.read { $0 } }
  }

  var transport: ScriptedTransport { scene.transport }
  var clock: ManualClock { scene.clock }
  /// How often the server was asked.
  var count: Int { transport.requests.count }

  /// From now on the server answers so.
  func say(_ body: String, _ headers: [(String, String)] = [], status: Int32 = 200) {
    answer.update { $0 = .success(.answer(status, body, headers)) }
  }

  func fail(_ error: RemoraError) { answer.update { $0 = .failure(error) } }

  /// Opens settings without fetching them.
  func open(
    tag: String? = nil, _ change: (inout SettingsOptions) -> Void = { _ in }, subscriber: EventSink? = nil
  ) throws -> OpenSource {
    var options = SettingsOptions()
    options.url = "\(scene.server.base)/settings"
    options.tag = tag
    options.opening.firstFetch = .onRequest
    change(&options)
    return try scene.client.openSettings(options, subscriber: subscriber)
  }

  /// An option of an opening: packaged data without keys, so that the first fetch is staged as later ones are.
  static func packaged(_ options: inout SettingsOptions) { options.packaged = .bytes(Array("{}".utf8)) }
}
