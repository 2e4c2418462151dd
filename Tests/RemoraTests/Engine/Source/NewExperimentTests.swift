// SPDX-License-Identifier: Apache-2.0
//
// Experiments are announced once: over refreshes, activations, restarts, and processes that share a directory.

import Testing

@testable import Remora

@Suite("Reports of new experiments (entries of the list 'experiments' in settings)")
struct NewExperimentTests {
  let directory: TemporaryDirectory
  private let told = ReportedExperiments()

  init() throws { directory = try TemporaryDirectory() }

  @Test("a refresh reports each new experiment, and each experiment with a new variant, once")
  func immediate() throws {
    let stage = try SettingsStage(in: directory)
    let handle = try stage.open(tag: "x", subscriber: told.sink)
    stage.say(settings(("a", "1"), ("b", "1")))
    handle.refresh()
    #expect(told.seen(2) == ["a=1", "b=1"])
    handle.refresh()
    stage.say(settings(("a", "2"), ("b", "1")))
    handle.refresh()
    #expect(told.seen(4) == ["a=1", "b=1", "a=2"])
    stage.say(settings())
    handle.refresh()
    #expect(told.seen(5).count == 3)
    stage.scene.client.close()
    stage.say(settings(("a", "2")))
    let later = try SettingsStage(in: directory, base: stage)
    try later.open(tag: "x", subscriber: told.sink).refresh()
    // It was gone, and so it is new.
    #expect(told.seen(7).last == "a=2")
    later.scene.client.close()
    let last = try SettingsStage(in: directory, base: stage)
    try last.open(tag: "x", subscriber: told.sink).refresh()
    #expect(told.seen(9).count == 4)
  }

  @Test("an experiment in fetched data is reported once, by the opening that starts to use the data")
  func nextSetup() throws {
    let stage = try SettingsStage(in: directory)
    stage.say(settings(("a", "1")))
    let first = try stage.open(SettingsStage.packaged, subscriber: told.sink)
    #expect(first.refresh().outcome == .staged)
    #expect(told.seen(2) == [])
    stage.scene.client.close()
    for count in [3, 4] {
      let later = try SettingsStage(in: directory, base: stage)
      _ = try later.open(subscriber: told.sink)
      #expect(told.seen(count) == ["a=1"])
      later.scene.client.close()
    }
  }

  @Test("experiments in the first data of settings are reported by the refresh, because the data becomes live at once")
  func firstData() throws {
    let stage = try SettingsStage(in: directory)
    stage.say(settings(("a", "1")))
    let first = try stage.open(subscriber: told.sink)
    #expect(first.refresh().outcome == .updated)
    #expect(told.seen(2) == ["a=1"])
    stage.scene.client.close()
    let later = try SettingsStage(in: directory, base: stage)
    _ = try later.open(subscriber: told.sink)
    #expect(told.seen(3) == ["a=1"])
  }

  @Test("if another client holds the lock at the opening, experiments in stored data are reported by the first refresh")
  func busyAtOpen() throws {
    let stage = try SettingsStage(in: directory)
    stage.say(settings(("a", "1")))
    let name = try stage.open(SettingsStage.packaged).source.name
    let later = try SettingsStage(in: directory, base: stage)
    #expect(try stage.open(SettingsStage.packaged).refresh().outcome == .staged)
    stage.scene.client.close()
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let held = try #require(try storage.tryLock(name))
    let handle = try later.open(subscriber: told.sink)
    #expect(told.seen(1) == [])
    held.unlock()
    #expect(handle.refresh().outcome == .unchanged)
    #expect(told.seen(2) == ["a=1"])
  }

  @Test("if two fetched versions wait for activation, only experiments of the second version are reported")
  func overtaken() throws {
    let stage = try SettingsStage(in: directory)
    let first = try stage.open(SettingsStage.packaged)
    for variant in ["1", "2"] {
      stage.say(settings(("a", variant)))
      #expect(first.refresh().outcome == .staged)
    }
    stage.scene.client.close()
    let later = try SettingsStage(in: directory, base: stage)
    _ = try later.open(subscriber: told.sink)
    #expect(told.seen(1) == ["a=2"])
  }

  @Test(
    "an activation reports new experiments once, whether data is on disk or in memory",
    arguments: [true, false])
  func activation(isOnDisk: Bool) throws {
    let stage = try SettingsStage(in: isOnDisk ? directory : nil)
    let other = try SettingsStage(in: directory, base: stage)
    stage.say(settings(("a", "1")))
    let handle = try stage.open({ $0.activation = .manual }, subscriber: told.sink)
    #expect(handle.refresh().outcome == .staged)
    #expect(told.seen(2) == [])
    let late = ReportedExperiments()
    let second = try other.open({ $0.activation = .manual }, subscriber: late.sink)
    #expect(try handle.source.activate() == .updated)
    #expect(told.seen(3) == ["a=1"])
    if isOnDisk {
      #expect(try second.source.activate() == .updated)
      #expect(late.seen(2) == [])
    }
  }

  @Test("an experiment is not reported again by a client that picks up the data from another client")
  func adopted() throws {
    let stage = try SettingsStage(in: directory)
    let other = try SettingsStage(in: directory, base: stage)
    let handle = try stage.open(tag: "x", subscriber: told.sink)
    let late = ReportedExperiments()
    let second = try other.open(tag: "x", subscriber: late.sink)
    stage.say(settings(("a", "1")))
    handle.refresh()
    #expect(told.seen(2) == ["a=1"])
    try second.look()
    #expect(late.seen(2) == [])
    #expect(late.eventCount == 2)
  }

  @Test(
    "experiments in data that another client stored but did not activate are reported after the next fetch",
    arguments: [true, false])
  func adoptedStaged(isPromoted: Bool) throws {
    let stage = try SettingsStage(in: directory)
    let other = try SettingsStage(in: directory, base: stage)
    let patient = try stage.open(SettingsStage.packaged)
    let handle = try other.open({ $0.activation = .immediate }, subscriber: told.sink)
    stage.say(settings(("a", "1")))
    #expect(patient.refresh().outcome == .staged)
    try handle.look()
    #expect(told.seen(2) == [])
    #expect(handle.keys == ["experiments"])
    if isPromoted { #expect(try patient.source.activate() == .updated) }
    stage.say(settings(("a", "1"), ("b", "1")))
    #expect(handle.refresh().outcome == .updated)
    #expect(told.seen(3) == (isPromoted ? ["b=1"] : ["a=1", "b=1"]))
    stage.say(settings(("a", "1"), ("b", "1"), ("c", "1")))
    handle.refresh()
    #expect(told.seen(4).last == "c=1")
    #expect(told.seen(4).count == (isPromoted ? 2 : 3))
  }

  @Test("experiments are reported only to subscribers of the whole source, and not before such a subscriber exists")
  func waiting() throws {
    let stage = try SettingsStage()
    let handle = try stage.open(tag: "x")
    let ofKey = ReportedExperiments()
    _ = try handle.subscribe(key: Array("experiments".utf8), replay: true, ofKey.sink)
    stage.say(settings(("a", "1")))
    handle.refresh()
    #expect(ofKey.seen(2) == [])
    _ = try handle.subscribe(key: nil, replay: false, told.sink)
    let replayed = ReportedExperiments()
    _ = try handle.subscribe(key: nil, replay: true, replayed.sink)
    #expect(replayed.seen(1) == ["a=1"])
    handle.refresh()
    #expect(told.seen(1) == [])
    stage.say(settings(("b", "1")))
    handle.refresh()
    #expect(told.seen(2) == ["b=1"])
    #expect(replayed.seen(3) == ["a=1", "b=1"])
  }

  @Test("if several events are merged into one, this event reports the latest variant of each experiment")
  func merged() throws {
    let stage = try SettingsStage()
    let gate = Box(false)
    let (told, sink) = (told, told.sink)
    let handle = try stage.open(
      tag: "x",
      subscriber: { event, changes in
        if event.cause == .opened { _ = gate.wait { $0 } }
        sink(event, changes)
      })
    for text in [settings(("a", "1"), ("b", "1"), ("c", "1")), settings(("a", "2"), ("b", "1"))] {
      stage.say(text)
      handle.refresh()
    }
    gate.update { $0 = true }
    #expect(told.seen(2) == ["a=2", "b=1"])
  }

  @Test("only fetched experiments are reported, and only those that overrides do not hide")
  func overrides() throws {
    let stage = try SettingsStage()
    let handle = try stage.open(tag: "x", subscriber: told.sink)
    try handle.set("experiments", "", #"{"own":{"variant":"1"},"a":{"variant":"1"}}"#)
    stage.say(settings(("a", "1"), ("b", "1")))
    handle.refresh()
    // What is not live is not announced.
    #expect(told.seen(3) == ["a=1"])
  }

  @Test("experiments are reported again after a reset, and a collection never reports experiments")
  func others() throws {
    let stage = try SettingsStage()
    let handle = try stage.open(tag: "x", subscriber: told.sink)
    stage.say(settings(("a", "1")))
    handle.refresh()
    #expect(told.seen(2) == ["a=1"])
    try handle.source.reset()
    #expect(told.seen(3).count == 1)
    handle.refresh()
    #expect(told.seen(4) == ["a=1", "a=1"])
    let scene = try Scene()
    scene.server.put("experiments", #""x":{"variant":"v"}"#, at: 1000)
    let records = ReportedExperiments()
    try scene.open(subscriber: records.sink).refresh()
    #expect(records.seen(2) == [])
  }
}
