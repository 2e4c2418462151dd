// SPDX-License-Identifier: Apache-2.0
//
// Bundles and settings from servers of files that say more, or less, than they did. Collections accept little of it.

import Testing

@testable import Remora

@Suite("Web servers that send documents with unusual headers")
struct HostingTests {
  private let warnings = Box<[String]>([])

  private func log() -> Log {
    Log(level: .warning) { [warnings] line in warnings.update { $0.append(line.text) } }
  }

  /// An answer as the transport hands it over when its Content-Encoding did not encode the body.
  private func answer(
    _ body: [UInt8], status: Int32 = 200, encoding: String? = nil, type: String? = nil
  ) -> HTTPResponse {
    var response = HTTPResponse.answer(status)
    response.body = body
    response.headers.idleEncoding = encoding
    response.headers.contentType = type
    return response
  }

  /// What a first refresh of settings comes to, once so many warnings were logged: a close drops the others.
  private func refreshSettings(
    _ response: HTTPResponse, until count: Int = 0
  ) throws -> (result: RefreshResult, keys: [String]) {
    let stage = try SettingsStage(log: log())
    stage.transport.answer { _ in .success(response) }
    let handle = try stage.open { $0.activation = .immediate }
    let result = handle.refresh()
    #expect(warnings.wait { $0.count >= count })
    return withExtendedLifetime(stage) { (result, handle.keys) }
  }

  private func refreshBundle(
    _ response: HTTPResponse, until count: Int = 0
  ) throws -> (result: RefreshResult, keys: [String]) {
    let scene = try Scene(transport: ScriptedTransport { _ in .success(response) }, log: log())
    var options = BundleOptions()
    options.url = "https://h.example/x?secret=1"
    options.opening.firstFetch = .onRequest
    let handle = try scene.client.openBundle(options)
    let result = handle.refresh()
    #expect(warnings.wait { $0.count >= count })
    return withExtendedLifetime(scene) { (result, handle.keys) }
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  @Test("settings and bundles with an unusual Content-Encoding, a byte order mark or status 203 cause a warning only")
  func accepted() throws {
    let settings = Array(#"{"a":1}"#.utf8)
    let bundle = Array(bundleText("1", bundleElement("a")).utf8)
    var expected: [[String]] = []
    for (mark, status, encoding, words) in [
      ([], 200, "utf-8", ["Content-Encoding", "utf-8"]),
      ([], 200, "aws-chunked", ["Content-Encoding", "aws-chunked"]), (Self.mark, 200, nil, ["byte order mark"]),
      ([], 203, nil, ["203"]),
    ] as [([UInt8], Int32, String?, [String])] {
      expected += [words + ["/settings"], words + ["https://h.example/x"]]
      let fetched = try refreshSettings(
        answer(mark + settings, status: status, encoding: encoding), until: expected.count - 1)
      #expect(fetched.result.outcome == .updated)
      #expect(fetched.keys == ["a"])
      let published = try refreshBundle(
        answer(mark + bundle, status: status, encoding: encoding), until: expected.count)
      #expect(published.result.outcome == .updated)
      #expect(published.keys == ["a"])
    }
    #expect(warnings.read(\.count) == expected.count)
    for (line, words) in zip(warnings.read { $0 }, expected) {
      for word in words { #expect(line.contains(word), "\(line) says \(word)") }
      #expect(!line.contains("secret"))
    }
  }

  @Test("the error about an encoded settings or bundle body names the header Content-Encoding")
  func encoded() throws {
    let refused = try refreshSettings(answer([0x8B, 0x02, 0x80], encoding: "br")).result
    #expect(refused.error?.code == .parse)
    #expect(refused.error?.httpStatus == 200)
    #expect(refused.error?.message.contains("Content-Encoding \"br\"") == true)
    #expect(try refreshBundle(answer(Array("{}".utf8), encoding: "none")).result.error?.code == .format)
  }

  @Test("JSON settings and bundles that are sent as text/html are used with a warning, and any other type causes none")
  func webPageType() throws {
    for type in ["text/html", "Text/HTML; charset=utf-8"] {
      warnings.update { $0 = [] }
      #expect(try refreshSettings(answer(Array(#"{"a":1}"#.utf8), type: type), until: 1).keys == ["a"])
      #expect(
        try refreshBundle(answer(Array(bundleText("1", bundleElement("a")).utf8), type: type), until: 2).keys == ["a"])
      #expect(warnings.read { $0.allSatisfy { $0.contains("Content-Type \"text/html\"") } })
    }
    warnings.update { $0 = [] }
    #expect(try refreshSettings(answer(Array(#"{"a":1}"#.utf8), type: "text/plain")).result.outcome == .updated)
    #expect(warnings.read(\.isEmpty))
  }

  @Test("the error about a web page instead of settings names its Content-Type")
  func webPage() throws {
    let result = try refreshSettings(answer(Array("<!doctype html>".utf8), type: "text/html")).result
    #expect(result.error?.code == .parse)
    #expect(result.error?.message.contains("Content-Type \"text/html\"") == true)
  }

  @Test("a collection with status 203 is refused")
  func collections() throws {
    let server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
    let response = answer(Array(try server.changeset().body.utf8), status: 203)
    #expect(try server.walk { _ in .success(response) }.error?.code == .http)
    #expect(try server.dialect().request(since: nil, expected: 0).hosting == .strict)
  }

  @Test("a byte order mark is skipped at the beginning of each document that Remora fetches or that a host provides")
  func marks() throws {
    let server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
    let body = Self.mark + Array(try server.changeset().body.utf8)
    let walk = try server.walk { gather in gather.isChain ? nil : .success(answer(body)) }
    #expect(walk.outcome == "updated")
    let monitor = Self.mark + Array(#"{"changes":[],"timestamp":1}"#.utf8)
    #expect(try monitor.withUnsafeBytes { try server.dialect().decodeMonitor($0) }.versions.isEmpty)

    let scene = try Scene()
    var bundle = BundleOptions()
    bundle.defaultBundle = Self.mark + Array("[\(bundleElement("a"))]".utf8)
    #expect(try scene.client.openBundle(bundle).keys == ["a"])
    var settings = SettingsOptions()
    settings.url = "https://h.example/x"
    settings.opening.firstFetch = .onRequest
    settings.packaged = .bytes(Self.mark + Array(#"{"a":1}"#.utf8))
    #expect(try scene.client.openSettings(settings).keys == ["a"])
    var collection = CollectionOptions()
    collection.collection = "c"
    collection.opening.firstFetch = .onRequest
    collection.packaged = .bytes(Self.mark + Array(#"{"data":[{"id":"a","last_modified":1}],"timestamp":1}"#.utf8))
    #expect(try scene.client.openCollection(collection).keys == ["a"])
    let seed = try Seeds().compile(
      Self.mark + Array(#"{"a":1}"#.utf8), named: "seed.json", of: settings.dialect(), fetchedAtMs: 1, nowMs: 2)
    #expect(keysOf(Snapshot(base: seed.accepted.image, origin: .cached)) == ["a"])
  }

  @Test("the lenient rules for unusual headers of settings and bundles also apply after a redirect")
  func requests() throws {
    let stage = try SettingsStage()
    stage.transport.answer { request in
      .success(
        request.url.hasSuffix("/settings") ? .answer(302, "", [("Location", "/other")]) : .answer(200, #"{"a":1}"#))
    }
    #expect(try stage.open().refresh().error == nil)
    #expect(stage.transport.requests.map(\.hosting) == [.any, .any])
  }

  @Test("the header Alert of a response is logged as a warning, and changes nothing")
  func alert() throws {
    let server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
    let scene = try Scene(
      server: server,
      transport: ScriptedTransport { request in
        var response = server.answer(request.url)
        response.headers.add(name: "Alert", value: #"{"code":"soft-eol"}"#, nowMs: 0)
        return .success(response)
      }, log: log())
    #expect(try scene.open().refresh().outcome == .updated)
    #expect(warnings.wait { $0.contains { $0.contains("Alert") && $0.contains("soft-eol") } })
  }
}
