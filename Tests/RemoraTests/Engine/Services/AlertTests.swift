// SPDX-License-Identifier: Apache-2.0
//
// The header Alert, by which the operator of a server addresses the maintainers of clients.

import Testing

@testable import Remora

@Suite("The header Alert of responses")
struct AlertTests {
  private let lines = Box<[String]>([])

  private func log() -> Log {
    Log(level: .warning) { [lines] line in lines.update { $0.append(line.text) } }
  }

  private static func answer(_ body: String, _ alert: String) -> HTTPOutcome {
    .success(.answer(200, body, [("Alert", alert)]))
  }

  @Test("an Alert of a collection and of the list of collections is logged once for each text")
  func documents() throws {
    let stage = try SyncStage(["a", "b"], log: log())
    let list = #"{"changes":[]}"#
    stage.server.answer("changes", Self.answer(list, "one"))
    stage.server.answer("a", Self.answer(try stage.server["a"].changeset().body, "one"))
    stage.server.answer("b", Self.answer(try stage.server["b"].changeset().body, "two"))
    for _ in 0..<2 { #expect(try stage.sync().error == nil) }
    #expect(lines.wait { $0.count >= 2 })
    stage.server.answer("changes", Self.answer(list, "three"))
    #expect(try stage.sync().error == nil)
    #expect(lines.wait { $0.count >= 3 })
    let origin = String(stage.scene.server.base.dropLast(3))
    #expect(lines.read { $0.sorted() } == ["one", "three", "two"].map { "\(origin) sent an Alert header: \($0)" })
  }

  @Test("an Alert of a server's root document and of an attachment is logged")
  func attachments() throws {
    let server = try AttachmentServer()
    try server.put("a", noise(100), at: 1000)
    var root = server.root
    root.headers.add(name: "Alert", value: "root", nowMs: 0)
    var file = HTTPResponse.bytes(noise(100))
    file.headers.add(name: "Alert", value: "file", nowMs: 0)
    server.script("", .success(root))
    server.script("a.bin", .success(file))
    let stage = try AttachmentStage(server, log: log())
    try stage.open("a")
    #expect(lines.wait { $0.count >= 2 })
    #expect(lines.read { $0.map { String($0.split(separator: " ").last ?? "") } } == ["root", "file"])
  }
}
