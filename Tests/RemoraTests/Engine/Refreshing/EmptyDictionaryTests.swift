// SPDX-License-Identifier: Apache-2.0
//
// Settings whose server answers with an empty dictionary: a portal, a quota notice or a failed deployment sends `{}`
// too.

import Testing

@testable import Remora

@Suite("An empty settings dictionary from a server")
struct EmptyDictionaryTests {
  private let directory: TemporaryDirectory
  private let clock = ManualClock()
  private static let immediate: @Sendable (inout SettingsOptions) -> Void = { $0.activation = .immediate }

  init() throws { directory = try TemporaryDirectory() }

  private func stage() throws -> SettingsStage { try SettingsStage(in: directory, clock: clock) }

  @Test("an empty settings dictionary does not replace one with keys, in this process or after a restart")
  func refused() throws {
    let stage = try stage()
    let handle = try stage.open(Self.immediate)
    stage.say(#"{"a":1}"#)
    #expect(handle.refresh().outcome == .updated)
    for body in ["{}", #"{"":1}"#] {
      clock.advance(byMs: 1000)
      stage.say(body, [("ETag", "\"empty\""), ("Cache-Control", "max-age=60")])
      let result = handle.refresh()
      #expect(result.outcome == .refused)
      #expect(result.error?.code == .format)
      #expect(result.error?.httpStatus == 200)
      #expect(result.error?.message.contains("option force") == true)
      #expect(handle.keys == ["a"])
    }
    #expect(stage.transport.requests.last?.ifNoneMatch == nil)
    stage.scene.client.close()
    let next = try SettingsStage(in: directory, clock: clock, base: stage)
    #expect(try next.open(Self.immediate).keys == ["a"])
  }

  @Test("a forced refresh replaces settings by an empty dictionary, and a later refresh then changes nothing")
  func forced() throws {
    let stage = try stage()
    let handle = try stage.open(Self.immediate)
    stage.say(#"{"a":1}"#)
    handle.refresh()
    stage.say("{}")
    let forced = try RefreshManner(isForced: true)
    #expect(handle.source.refresh(forced, timeoutMs: -1).outcome == .updated)
    #expect(handle.keys.isEmpty)
    #expect(handle.refresh().outcome == .unchanged)
  }

  @Test("an empty settings dictionary does not replace a staged dictionary or packaged settings with keys")
  func others() throws {
    let stage = try stage()
    let staging = try stage.open(SettingsStage.packaged)
    stage.say(#"{"a":1}"#)
    #expect(staging.refresh().outcome == .staged)
    stage.say("{}")
    #expect(staging.refresh().outcome == .refused)
    let packaged = try stage.open(tag: "t") { $0.packaged = .bytes(Array(#"{"p":1}"#.utf8)) }
    #expect(packaged.refresh().outcome == .refused)
    #expect(packaged.keys == ["p"])
  }

  @Test("an empty settings dictionary is used if there are no settings with keys")
  func first() throws {
    let stage = try stage()
    let handle = try stage.open(Self.immediate)
    #expect(handle.refresh().outcome == .updated)
    #expect(withExtendedLifetime(stage) { handle.keys.isEmpty })
  }
}
