// SPDX-License-Identifier: Apache-2.0
//
// Rejections of bundles and of settings, which are compared by their content.

import Testing

@testable import Remora

@Suite("Rejection of bundles and settings", .serialized)
struct RejectionKindTests {
  @Test("the same content of settings is refused at once, other content is used, and the rejected one comes not back")
  func settings() throws {
    let directory = try TemporaryDirectory()
    let stage = try SettingsStage(in: directory)
    let handle = try stage.open { $0.activation = .immediate }
    stage.say(#"{"v":"A"}"#)
    handle.refresh()
    stage.say(#"{"v":"B"}"#)
    handle.refresh()
    try handle.reject()
    var read: [String?] = []
    for text in ["A", "B", "A", "B"] {
      stage.say(#"{"v":"\#(text)"}"#)
      let result = handle.refresh()
      #expect(result.error?.code == (text == "B" ? .rejected : nil))
      let rejected = try #require(try handle.source.info().rejectedVersion)
      #expect(result.error == nil || result.error?.message == RemoraError.rejected(version: rejected).message)
      read.append(try handle.source.acquire().value("v", "")?.string.map { String(decoding: $0, as: UTF8.self) })
    }
    #expect(read == ["A", "A", "A", "A"])
  }

  @Test("settings that a restart makes live can be rejected as staged or as live data", arguments: [false, true])
  func nextSetup(isLive: Bool) throws {
    let directory = try TemporaryDirectory()
    let stage = try SettingsStage(in: directory)
    var (last, handle) = try (stage, stage.open())
    stage.say(#"{"v":"A"}"#)
    handle.refresh()
    stage.say(#"{"v":"B"}"#)
    #expect(handle.refresh().outcome == .staged)
    if isLive {
      stage.scene.client.close()
      last = try SettingsStage(in: directory, base: stage)
      handle = try last.open()
    }
    try handle.source.reject(isLive ? handle.source.acquire() : #require(handle.source.acquireStaged()), reason: nil)
    #expect(try handle.source.acquire().value("v", "")?.string.map { Array($0) } == Array("A".utf8))
    last.scene.client.close()
    let next = try SettingsStage(in: directory, base: stage)
    let again = try next.open()
    #expect(try again.source.acquire().value("v", "")?.string.map { Array($0) } == Array("A".utf8))
    #expect(again.refresh().error?.code == .rejected)
    next.scene.client.close()
  }

  @Test("a bundle that is corrected under the same version is used, and one with the rejected content is not")
  func bundleVersions() throws {
    let stage = try BundleTests.Stage(in: TemporaryDirectory())
    let handle = try stage.open()
    stage.publish(1, bundleElement("a"))
    handle.refresh()
    stage.publish(2, bundleElement("bad"))
    handle.refresh()
    try handle.reject()
    #expect(try handle.shown == ["a"])
    #expect(handle.refresh().error?.code == .rejected)
    stage.publish(3, bundleElement("bad"))
    #expect(handle.refresh().error?.code == .rejected)
    stage.publish(2, bundleElement("a"), bundleElement("b"))
    #expect(handle.refresh().outcome == .updated)
    #expect(try handle.shown == ["a", "b"])
  }

  @Test("a namespace that only the rejected bundle has is gone at once")
  func bundleNamespaces() throws {
    let stage = try BundleTests.Stage(in: TemporaryDirectory())
    let handle = try stage.open()
    stage.publish(1, bundleElement("a"))
    handle.refresh()
    stage.publish(2, bundleElement("b"))
    handle.refresh()
    #expect(try handle.shown == ["a", "b"])
    try handle.reject()
    #expect(try handle.shown == ["a"])
  }

  @Test("overrides that the rejected bundle ended stay ended")
  func bundleOverrides() throws {
    let stage = try BundleTests.Stage(in: TemporaryDirectory())
    let handle = try stage.open { $0.opening.persistsOverrides = true }
    stage.publish(1, bundleElement("a"))
    handle.refresh()
    try handle.source.set(makeOverride(["a", "", #"{"namespace":"a","x":1}"#]))
    stage.publish(2, #"{"namespace":"a"}"#)
    handle.refresh()
    try handle.reject()
    #expect(try handle.source.overrides().all.isEmpty)
  }
}
