// SPDX-License-Identifier: Apache-2.0
//
// The collection that a document names in its metadata must be the one that was asked for: the signature covers the
// records and the timestamp, and not the name.

import Testing

@testable import Remora

@Suite("The collection name in signed documents")
struct CollectionNameTests {
  let server: SignedServer

  init() throws {
    server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
  }

  private func names(_ bucket: String, _ id: String) -> String { #""bucket":"\#(bucket)","id":"\#(id)","# }

  /// A server whose signed answers say these names.
  private func transport(saying names: String, tag: String? = nil) -> ScriptedTransport {
    ScriptedTransport { [server] request in
      guard !request.url.hasSuffix(".pem"), var full = try? server.changeset() else {
        return .success(server.answer(request.url))
      }
      full.names = names
      return .success(.answer(200, full.body, tag.map { [("ETag", $0)] } ?? []))
    }
  }

  @Test("a signed document of another collection is refused with both names in the error")
  func another() throws {
    let scene = try Scene(server: server)
    let handle = try scene.open()
    let other = try SignedServer(chain: server.chain, base: server.base)
    other.put("x", at: 9000)
    var lie = try other.changeset()
    lie.names = names("main", "other")
    let body = lie.body
    scene.transport.answer { [server] request in
      .success(request.url.hasSuffix(".pem") ? server.answer(request.url) : .answer(200, body, [("ETag", "\"9\"")]))
    }
    let refused = handle.refresh()
    #expect(refused.error?.code == .format)
    #expect(refused.error?.message.contains("main/other") == true)
    #expect(refused.error?.message.contains("main/c") == true)
    scene.transport.answer { [server] in .success(server.answer($0.url)) }
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.version == 1000)
    #expect(scene.transport.requests.allSatisfy { $0.ifNoneMatch == nil })
  }

  @Test(
    "a document without a collection name, or with one that is not a string, is accepted",
    arguments: [
      "", #""bucket":null,"id":null,"#, #""bucket":1,"id":{},"#, #""id":"c","#, #""bucket":"main","#,
      #""bucket":"main","id":"c","#,
    ])
  func accepted(names: String) throws {
    let scene = try Scene(server: server, transport: transport(saying: names))
    #expect(try scene.open().refresh().outcome == .updated)
  }

  @Test(
    "the bucket and the collection of a signed document must match the request exactly",
    arguments: [
      #""id":"d","#, #""bucket":"main-preview","#, #""bucket":"main-workspace","id":"c","#, #""id":"C","#, #""id":"","#,
      #""bucket":"Main","id":"c","#,
    ])
  func refused(names: String) throws {
    let scene = try Scene(server: server, transport: transport(saying: names))
    #expect(try scene.open().refresh().error?.code == .format)
  }

  @Test("a signed document of a preview bucket must contain the name of the preview bucket")
  func preview() throws {
    for (bucket, outcome) in [("main-preview", Outcome.updated), ("main", .refused)] {
      let scene = try Scene(server: server, transport: transport(saying: names(bucket, "c")))
      #expect(try scene.open { $0.bucket = "main-preview" }.refresh().outcome == outcome)
    }
  }

  @Test("a collection name from a malicious server is shortened and made printable in the error message")
  func hostile() throws {
    let name = String(repeating: "x", count: 100_000)
    let scene = try Scene(server: server, transport: transport(saying: #""id":"\u001b\#(name)","#))
    let message = try #require(try scene.open().refresh().error?.message)
    #expect(message.utf8.count < 400 && message.utf8.allSatisfy { $0 >= 0x20 })
  }

  @Test("packaged data of another collection is refused when the collection is opened")
  func packaged() throws {
    let scene = try Scene(server: server)
    func data(_ names: String) -> PackagedData {
      .bytes(Array(#"{"data":[],"metadata":{\#(names)"x":1},"timestamp":5}"#.utf8))
    }
    let error = #expect(throws: RemoraError.self) { try scene.open { $0.packaged = data(names("main", "other")) } }
    #expect(error?.code == .format)
    #expect(error?.message.contains("main/other") == true && error?.message.contains("main/c") == true)
    for accepted in [names("main", "c"), ""] {
      #expect(try scene.open { $0.packaged = data(accepted) }.version == 5)
    }
  }
}
