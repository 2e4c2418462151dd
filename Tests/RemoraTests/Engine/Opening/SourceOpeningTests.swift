// SPDX-License-Identifier: Apache-2.0
//
// Openings that meet another one, or a new context, halfway: what is not kept has written nothing, and takes nothing
// along that was to be told.

import Testing

@testable import Remora

@Suite("Two openings of the same source at the same time")
struct SourceOpeningTests {
  let directory: TemporaryDirectory
  private let stage: SettingsStage
  private let told = ReportedExperiments()
  private let others = ReportedExperiments()

  /// What comes in between.
  enum Meeting: CaseIterable { case opening, context }

  init() throws {
    directory = try TemporaryDirectory()
    stage = try SettingsStage(in: directory)
  }

  private var options: SettingsOptions {
    var options = SettingsOptions()
    options.url = "\(stage.scene.server.base)/settings"
    options.opening.firstFetch = .onRequest
    return options
  }

  /// Opens with a subscriber, while something comes in between: another opening once a file has got its name, or
  /// another context once what waits was read. Returns what was announced.
  private func open(meeting: Meeting) throws -> [String] {
    let met = Box<Scene?>(nil)
    let (options, others) = (options, others)
    @Sendable func meet() {
      let scene = met.update { scene in
        defer { scene = nil }
        return scene
      }
      switch meeting {
      case .opening: _ = try? scene?.client.openSettings(options, subscriber: others.sink)
      case .context: try? scene?.client.setContext(#"{"locale":"de"}"#)
      }
    }
    var calls = SystemCalls.real
    let (open, rename) = (calls.directories.openFile, calls.directories.rename)
    calls.directories.openFile = { folder, name, flags in
      defer { if meeting == .context, name.hasSuffix(".staged") || name.hasSuffix(".seed") { meet() } }
      return open(folder, name, flags)
    }
    calls.directories.rename = { folder, from, to in
      defer { if meeting == .opening { meet() } }
      return rename(folder, from, to)
    }
    let scene = try Scene(in: directory, server: stage.scene.server, transport: stage.transport, calls: calls)
    met.update { $0 = scene }
    let handle = try scene.client.openSettings(options, subscriber: told.sink)
    #expect(met.read { $0 == nil })
    #expect(handle.keys == ["experiments"])
    return told.seen(1) + (meeting == .opening ? others.seen(1) : [])
  }

  @Test(
    "fetched data that waits for the next opening is reported once, even if two openings run at the same time",
    arguments: Meeting.allCases)
  func staged(meeting: Meeting) throws {
    stage.say(settings(("a", "1")))
    #expect(try stage.open(SettingsStage.packaged).refresh().outcome == .staged)
    stage.scene.client.close()
    #expect(try open(meeting: meeting) == ["a=1"])
  }

  @Test(
    "the experiments of a seed (data from an installer) are reported once, even by concurrent openings",
    arguments: Meeting.allCases)
  func seed(meeting: Meeting) throws {
    let now = TestTime.nowMs
    let seed = try Seeds().compile(
      Array(settings(("a", "1")).utf8), named: "seed.json", of: options.dialect(), fetchedAtMs: now, nowMs: now)
    try Seeds().save(seed.accepted, in: StorageDirectory.open(path: directory.path("storage")))
    #expect(try open(meeting: meeting) == ["a=1"])
  }
}
