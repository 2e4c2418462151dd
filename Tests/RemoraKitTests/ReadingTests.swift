// SPDX-License-Identifier: Apache-2.0

import RemoraKit
import Testing

@Suite("Reading values", .timeLimit(.minutes(2)))
struct ReadingTests {
  static let document =
    #"{"on":false,"n":3,"z":3.0,"r":2.5,"s":"","u":"app://editor","o":{"a/b":[1,{"c":"d"}]},"nothing":null}"#

  @Test("Typed reads return stored values, including false, zero and the empty string")
  func typed() async throws {
    let settings = try await Stage().fetched(Self.document)
    #expect(settings.bool("on", default: true) == false)
    #expect(settings.int("n", default: 0) == 3 && settings.int("z", default: 0) == 3)
    #expect(settings.double("r", default: 0) == 2.5 && settings.double("n", default: 0) == 3)
    #expect(settings.string("s", default: "x") == "")
    #expect(settings.url("u", default: "") == "app://editor")
    #expect(settings.int("o", "/a~1b/0", default: 0) == 1)
    #expect(try settings.string("o", "/a~1b/1/c") == "d")
    #expect(try settings.json("o") == #"{"a/b":[1,{"c":"d"}]}"#)
  }

  @Test("A read returns its default for a missing or null value, another type, and a fraction read as an integer")
  func defaults() async throws {
    let settings = try await Stage().fetched(Self.document)
    #expect(settings.int("missing", default: 7) == 7)
    #expect(settings.int("nothing", default: 7) == 7)
    #expect(settings.int("r", default: 7) == 7)
    #expect(settings.bool("n", default: true))
    #expect(settings.string("n", default: "x") == "x")
    #expect(settings.url("s", default: "https://e.example") == "https://e.example")
    #expect(settings.int("o", "no pointer", default: 7) == 7)
  }

  @Test("A read without a default throws an error that states why the value cannot be read")
  func failures() async throws {
    let settings = try await Stage().fetched(Self.document)
    func code(_ read: () throws -> Void) -> RemoraError.Code? {
      do { try read() } catch let error as RemoraError { return error.code } catch {}
      return nil
    }
    #expect(code { _ = try settings.int("missing") } == .notFound)
    #expect(code { _ = try settings.int("nothing") } == .notFound)
    #expect(code { _ = try settings.int("r") } == .wrongType)
    #expect(code { _ = try settings.string("o", "/a~1b") } == .wrongType)
    #expect(code { _ = try settings.bool("o", "x") } == .invalidArgument)
    #expect(code { _ = try settings.json("missing") } == .notFound)
    let error = try #require(throws: RemoraError.self) { try settings.int("r") }
    #expect(error.message == "key \"r\" is a double, not an integer" && error.family == .call)
  }

  @Test("A value of any type can be copied as a JSONValue, and the description of the JSONValue is JSON text")
  func anyValue() async throws {
    let settings = try await Stage().fetched(Self.document)
    #expect(settings["o"]?["a/b"]?[1]?["c"]?.string == "d")
    #expect(settings["z"]?.int == 3 && settings["n"]?.double == 3 && settings["on"]?.bool == false)
    #expect(settings["nothing"] == nil && settings["missing"] == nil)
    #expect(settings["o"]?["a/b"]?[2] == nil && settings["o"]?.object?.count == 1)
    let value: JSONValue = ["b": [nil, true, 1, 2.5], "a": "\"\\\n\u{1}ü"]
    #expect(value.description == #"{"a":"\"\\\u000a\u0001ü","b":[null,true,1,2.5]}"#)
  }

  @Test("A snapshot does not change with its source, and stays readable after the client is closed")
  func snapshots() async throws {
    let stage = try Stage()
    let settings = try await stage.fetched(#"{"a":1,"b":2}"#)
    let old = try settings.snapshot
    stage.server.put("/settings", #"{"a":1,"b":3,"c":4}"#)
    try await settings.refresh()
    #expect(old.int("b", default: 0) == 2 && settings.int("b", default: 0) == 3)
    #expect(old.keys == ["a", "b"] && old.count == 2 && old.origin == .fetched && !old.isVerified)
    let changes = try settings.snapshot.changes(since: old)
    #expect(changes.map(\.key) == ["b", "c"] && changes.map(\.kind) == [.updated, .created])
    #expect(changes[0].old == 2 && changes[0].new == 3 && changes[1].old == nil)
    stage.client.close()
    #expect(old.int("b", default: 0) == 2)
  }

  @Test(
    "After a close of the source or its client, a read with a default returns it, and other reads throw \"closed\"",
    arguments: [true, false])
  func closed(theClient: Bool) async throws {
    let stage = try Stage()
    let settings = try await stage.fetched(#"{"a":1}"#)
    // Another handle keeps the source open.
    let other = try stage.settings()
    if theClient { stage.client.close() } else { settings.close() }
    #expect(settings.int("a", default: 7) == 7 && settings.value("a", default: 7) == 7 && settings["a"] == nil)
    #expect(await settings.value("a", timeout: .zero, default: 7) == 7)
    #expect(other.int("a", default: 7) == (theClient ? 7 : 1))
    for read: () throws -> Void in [
      { _ = try settings.int("a") }, { _ = try settings.decode(Int.self, "a") }, { _ = try settings.snapshot },
      { _ = try settings.json("a") }, { _ = try settings.unfilteredSnapshot },
    ] {
      #expect(try #require(throws: RemoraError.self, performing: read).code == .closed)
    }
  }

  @Test("A read of a source that returns its default because the pointer is malformed logs one warning")
  func malformedPointer() async throws {
    let (lines, sink) = AsyncStream.makeStream(of: String.self)
    var configuration = Client.Configuration(storageDirectory: nil, applicationName: "test")
    configuration.onLog = { sink.yield("\($0.level) \($0.message)") }
    let client = try Client(configuration)
    var options = SettingsSource.Options()
    options.packaged = .bytes(Array(Self.document.utf8))
    options.fetchAtOpen = false
    let settings = try client.settings("http://127.0.0.1:9/none", options)
    // A read does not wait for the lock to log its line, and other tests may hold the lock: so reads until it is
    // logged.
    let reading = Task {
      while !Task.isCancelled {
        #expect(settings.int("o", "no slash", default: 7) == 7)
        #expect(settings.value("o", "nor here", default: 7) == 7)
        await Task.yield()
      }
    }
    var warnings: [String] = []
    for await line in lines where line.contains("not a JSON Pointer") {
      warnings.append(line)
      if warnings.count == 2 { break }
    }
    reading.cancel()
    await reading.value
    #expect(try settings.snapshot.int("o", "no slash", default: 7) == 7)
    #expect(settings.int("o", "no slash", default: 7) == 7)
    client.close()
    sink.finish()
    for await line in lines where line.contains("not a JSON Pointer") { warnings.append(line) }
    #expect(warnings.count == 2 && warnings.allSatisfy { $0.hasPrefix("warning") }, "\(warnings)")
  }

  @Test("The experiments of settings can be listed with their variants")
  func experiments() async throws {
    let settings = try await Stage().fetched(
      #"{"experiments":[{"name":"e","variant":"v","trackable":2,"settings":["k"]},{"name":"f"}]}"#)
    let experiments = try settings.snapshot.experiments
    #expect(experiments.map(\.name) == ["e", "f"] && experiments.map(\.variant) == ["v", ""])
    #expect(experiments[0].trackable == 2 && experiments[0].settings == ["k"] && experiments[1].settings == [])
  }
}
