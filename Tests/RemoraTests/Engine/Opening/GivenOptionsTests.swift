// SPDX-License-Identifier: Apache-2.0
//
// Opening a source that is open: which options have no effect, and the log line that names them.

import Testing

@testable import Remora

@Suite("Opening a source that is already open, with other options")
struct GivenOptionsTests {
  private func options(_ notes: (StaticString, String?)...) -> SourceOptions {
    var options = SourceOptions()
    for (name, value) in notes { options.note(name, value) }
    return options
  }

  @Test("an option of a later opening is ignored if the first opening had another value or the default")
  func differing() {
    let first = options(("a", "1"), ("b", "1"), ("c", nil))
    let later = options(("a", "1"), ("b", "2"), ("c", "3"))
    #expect(later.ignored(comparedWith: first) == ["b", "c"])
  }

  @Test("an option that a later opening leaves at its default is not listed as ignored")
  func leftOut() {
    #expect(options(("a", nil)).ignored(comparedWith: options(("a", "1"))).isEmpty)
    #expect(options().ignored(comparedWith: options(("b", "1"))).isEmpty)
  }

  private typealias Lines = Box<[String]>

  private func scene(_ lines: Lines) throws -> Scene {
    try Scene(log: Log(level: .warning) { line in lines.update { $0.append(line.text) } })
  }

  @Test("a later opening of a collection logs which of its options are ignored")
  func collection() throws {
    let lines = Lines([])
    let scene = try scene(lines)
    let data = PackagedData.bytes(Array(#"{"data":[],"timestamp":1}"#.utf8))
    let first = try scene.open {
      $0.packaged = data
      $0.opening.refreshIntervalMs = 60_000
      $0.opening.firstFetch = .onRequest
    }
    let later = try scene.open {
      $0.packaged = data
      $0.packagedAttachments = "/nowhere"
      $0.opening.refreshIntervalMs = 61_000
      $0.opening.firstFetch = .onRequest
      $0.opening.persistsOverrides = true
      $0.activation = .manual
      $0.maximumFutureMs = nil
      $0.trustedHosts = ["h"]
      $0.previousRoots = [String(repeating: "a", count: 64)]
    }
    let names =
      "trusted_hosts, max_future_ms, previous_roots, packaged_attachments, activation, refresh_interval_ms, "
      + "persist_overrides"
    #expect(lines.wait { $0.count == 1 })
    #expect(lines.read { $0.first?.hasPrefix("collection main/c: ") } == true)
    #expect(lines.read { $0.first?.hasSuffix(": \(names)") } == true)
    withExtendedLifetime((first, later)) {}
  }

  @Test("a later opening with the options of the first opening, or with default options, logs nothing")
  func silent() throws {
    let lines = Lines([])
    let scene = try scene(lines)
    let packaged = PackagedData.bytes(Array(#"{"data":[],"timestamp":1}"#.utf8))
    let set: (inout CollectionOptions) -> Void = {
      $0.packaged = packaged
      $0.opening.refreshIntervalMs = 60_000
      $0.opening.firstFetch = .onRequest
      $0.activation = .manual
    }
    let handles = try [scene.open(set), scene.open(set), scene.open()]
    // What is logged now comes behind every line of the openings.
    scene.client.services.note(.warning, "last")
    #expect(lines.wait { $0.last == "last" })
    #expect(lines.read { $0 } == ["last"])
    withExtendedLifetime(handles) {}
  }

  @Test("opening a tag again logs only a ttl that the caller passed and that has no effect")
  func tags() throws {
    let lines = Lines([])
    let scene = try scene(lines)
    var options = SettingsOptions()
    options.url = "http://127.0.0.1:9/x"
    options.lifetime = .ms(5)
    options.opening.persistsOverrides = true
    options.opening.firstFetch = .onRequest
    let settings = try scene.client.openSettings(options)
    let first = try settings.openTag("t", .ms(7))
    let later = try [settings.openTag("t"), settings.openTag("t", .ms(7)), settings.openTag("t", .ms(8))]
    scene.client.services.note(.warning, "last")
    #expect(lines.wait { $0.last == "last" })
    #expect(
      lines.read {
        $0.count == 2
          && $0[0].hasSuffix("#t: the source was already open, so opening it again ignored these options: ttl_ms")
      })
    // A tag with the inherited options, opened as settings of its own, differs in nothing.
    let inherited = try settings.openTag("u")
    options.tag = "u"
    let same = try scene.client.openSettings(options)
    scene.client.services.note(.warning, "end")
    #expect(lines.wait { $0.last == "end" })
    #expect(lines.read { $0.count == 3 })
    withExtendedLifetime((first, later, inherited, same)) {}
  }

  @Test("a later opening of main settings with another name of the query item for tags logs that option")
  func tagItem() throws {
    let lines = Lines([])
    let scene = try scene(lines)
    var options = SettingsOptions()
    options.url = "http://127.0.0.1:9/x"
    options.opening.firstFetch = .onRequest
    let first = try scene.client.openSettings(options)
    options.tagItem = "context"
    let later = try scene.client.openSettings(options)
    #expect(lines.wait { $0.count == 1 })
    #expect(lines.read { $0[0].hasSuffix(": tag_item") })
    withExtendedLifetime((first, later)) {}
  }

  @Test("a later opening of settings or of a bundle logs each ignored option, including those that collections lack")
  func documents() throws {
    let lines = Lines([])
    let scene = try scene(lines)
    var settings = SettingsOptions()
    settings.url = "http://127.0.0.1:9/x?secret=1"
    settings.opening.firstFetch = .onRequest
    let first = try scene.client.openSettings(settings)
    settings.lifetime = .ms(5)
    settings.isMemoryOnly = true
    settings.packaged = .bytes(Array("{}".utf8))
    settings.activation = .immediate
    let later = try scene.client.openSettings(settings)
    var bundle = BundleOptions()
    bundle.defaultBundle = Array("[]".utf8)
    let defaults = try scene.client.openBundle(bundle)
    bundle.defaultVersion = 2
    bundle.defaultBundle = Array("[ ]".utf8)
    let other = try scene.client.openBundle(bundle)
    #expect(lines.wait { $0.count == 2 })
    let seen = lines.read { $0 }
    #expect(seen.first?.hasPrefix("settings http://127.0.0.1:9/x: ") == true)
    #expect(seen.first?.hasSuffix(": activation, memory_only, packaged_data, ttl_ms") == true)
    #expect(seen.last?.hasSuffix(": default_bundle, default_version") == true)
    withExtendedLifetime((first, later, defaults, other)) {}
  }
}
