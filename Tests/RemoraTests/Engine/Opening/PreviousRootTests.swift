// SPDX-License-Identifier: Apache-2.0
//
// A rotation of the pin: what is stored under earlier roots stays readable, and nothing new is trusted for it.

import Testing

@testable import Remora

@Suite("previous_roots (root certificate pins that the program used before its current one)")
struct PreviousRootTests {
  let directory: TemporaryDirectory
  /// The server before the rotation and after it: the same base, other chains.
  let before: SignedServer
  let after: SignedServer
  let oldPin: String

  init() throws {
    directory = try TemporaryDirectory()
    before = try SignedServer.onOwnHost()
    after = try Self.server(at: before.base)
    oldPin = try before.chain.pin.description
    for server in [before, after] { server.put("a", at: 1000) }
    try Scene(in: directory, server: before).fetchAndClose()
  }

  /// A server with a chain of its own.
  static func server(at base: String) throws -> SignedServer {
    let chain = try TestChain(
      root: .root.around(TestTime.now), intermediates: [.intermediate.around(TestTime.now)],
      leaf: .leaf.around(TestTime.now))
    return try SignedServer(chain: chain, base: base)
  }

  /// A client with the new pin.
  func rotated(_ server: SignedServer? = nil) throws -> Scene {
    try Scene(in: directory, server: server ?? after)
  }

  func open(
    _ scene: Scene, previous: [String]? = nil, _ change: (inout CollectionOptions) -> Void = { _ in },
    subscriber: EventSink? = nil
  ) throws -> OpenSource {
    let previous = previous ?? [oldPin]
    return try scene.open(
      {
        $0.previousRoots = previous
        change(&$0)
      }, subscriber: subscriber)
  }

  @Test("data that was verified with an earlier root pin is used as cached data")
  func readable() throws {
    let scene = try rotated()
    let handle = try open(scene)
    let info = try handle.source.info()
    #expect((info.origin, info.version, info.checkedAgeMs != nil) == (.cached, 1000, true))
    #expect(handle.keys == ["a"])
    #expect(try rotated().keysAndClose().isEmpty)
  }

  @Test(
    "the first diff with the new root pin is based on the earlier data, and is verified and stored with the new pin")
  func nextDiff() throws {
    after.put("b", at: 2000)
    let scene = try rotated()
    let handle = try open(scene)
    #expect(handle.refresh().outcome == .updated)
    #expect(scene.transport.urls == ["changeset?_expected=0&_since=1000", "chain.pem"])
    #expect(handle.keys == ["a", "b"])
    scene.client.close()
    #expect(try rotated().keysAndClose() == ["a", "b"])
    #expect(try Scene(in: directory, server: before).keysAndClose() == ["a"])
  }

  @Test("data that has not changed is verified and stored once with the new root pin")
  func nothingMoved() throws {
    let recorder = Recorder()
    let scene = try rotated()
    let handle = try open(scene, subscriber: recorder.sink)
    #expect(handle.refresh().outcome == .updated)
    #expect(scene.transport.urls == ["changeset?_expected=0&_since=1000", "chain.pem"])
    #expect(recorder.seen(2).last == SeenEvent(cause: .refreshed, outcome: .updated, old: 1000, new: 1000))
    #expect(handle.refresh().outcome == .unchanged)
    #expect(scene.transport.requests.count == 3)
    scene.client.close()
    #expect(try rotated().keysAndClose() == ["a"])
  }

  @Test("the ETag of data verified with an earlier root pin is not sent, because a 304 response would verify nothing")
  func noEntityTag() throws {
    let first = try Scene(in: directory, server: before)
    let before = before
    first.transport.answer { request in
      let answer = before.answer(request.url)
      return .success(.answer(answer.status, String(decoding: answer.body, as: UTF8.self), [("ETag", "\"one\"")]))
    }
    let handle = try first.open()
    handle.refresh()
    handle.refresh()
    #expect(first.transport.requests.last?.ifNoneMatch == "\"one\"")
    let scene = try rotated()
    #expect(try open(scene).refresh().outcome == .updated)
    #expect(scene.transport.requests.allSatisfy { $0.ifNoneMatch == nil })
  }

  @Test("a response whose signature leads to the earlier root is refused, and the earlier data stays readable")
  func refused() throws {
    before.put("b", at: 2000)
    let scene = try rotated()
    let before = before
    scene.transport.answer { .success(before.answer($0.url)) }
    let handle = try open(scene)
    #expect(handle.refresh().error?.code == .rootMismatch)
    #expect(handle.keys == ["a"])
    scene.client.close()
    let second = try rotated()
    #expect(try open(second).keys == ["a"])
  }

  @Test("a version lower than that accepted with the earlier root pin is NOT_NEWER, even after a restart")
  func noRollback() throws {
    let older = try SignedServer(chain: after.chain, base: after.base)
    older.put("z", at: 500)
    for _ in 0..<2 {
      let scene = try rotated(older)
      let handle = try open(scene)
      #expect(handle.refresh().outcome == .notNewer)
      #expect(handle.keys == ["a"])
      scene.client.close()
    }
  }

  @Test("the highest version accepted with the earlier root pin stays the minimum, even if its data is unreadable")
  func floorWithoutImage() throws {
    let name = StorageName(hashing: try before.dialect().identity)
    try directory.write("storage/\(fileName(.live, of: name))", [1])
    let older = try SignedServer(chain: after.chain, base: after.base)
    older.put("z", at: 500)
    let scene = try rotated(older)
    let handle = try open(scene)
    #expect(handle.keys.isEmpty)
    #expect(handle.refresh().outcome == .notNewer)
  }

  @Test("a response is refused if it has the timestamp of data verified with an earlier root pin, but other content")
  func equivocation() throws {
    let other = try SignedServer(chain: after.chain, base: after.base)
    other.put("other", at: 1000)
    let scene = try rotated(other)
    let handle = try open(scene)
    #expect(handle.refresh().error?.code == .equivocation)
    #expect(handle.keys == ["a"])
  }

  @Test("if data verified with several earlier root pins is stored, the newest data is used")
  func newest() throws {
    let middle = try Self.server(at: before.base)
    middle.put("m", at: 3000)
    try Scene(in: directory, server: middle).fetchAndClose()
    let pins = [oldPin, try middle.chain.pin.description, try after.chain.pin.description]
    for order in [pins, pins.reversed()] {
      let scene = try rotated()
      let handle = try open(scene, previous: order)
      #expect(handle.keys == ["m"])
      #expect(handle.version == 3000)
    }
  }

  @Test("data verified with an earlier root pin is used only for the same signer, bucket, collection and server")
  func isolation() throws {
    let others: [(inout CollectionOptions) -> Void] = [
      { $0.signer = "other.content-signature.example" }, { $0.bucket = "main-preview" }, { $0.collection = "d" },
      { $0.server = "https://elsewhere.example/v2" }, { $0.requiresSignature = false },
    ]
    let scene = try rotated()
    for change in others { #expect(try open(scene, change).source.info().origin == Origin.none) }
  }

  @Test("if both packaged data and data verified with an earlier root pin exist, the newer of the two is used")
  func packaged() throws {
    for (timestamp, origin) in [(999, Origin.cached), (1000, .cached), (1001, .packaged)] {
      let scene = try rotated()
      let handle = try open(scene) {
        $0.packaged = .bytes(Array("{\"data\":[],\"timestamp\":\(timestamp)}".utf8))
      }
      #expect(try handle.source.info().origin == origin)
    }
  }

  @Test(
    "an invalid pin in previous_roots, or a ninth pin, is refused and the error names the option",
    arguments: [
      [""], ["abc"], ["zz"], [String(repeating: "0", count: 63)],
      Array(repeating: String(repeating: "a", count: 64), count: 9),
    ])
  func invalid(pins: [String]) throws {
    let scene = try rotated()
    for isRequired in [true, false] {
      let error = #expect(throws: RemoraError.self) {
        try open(scene, previous: pins) { $0.requiresSignature = isRequired }
      }
      #expect(error?.code == .invalidArgument)
      #expect(error?.message.hasPrefix("previous_roots ") == true)
    }
    #expect(throws: Never.self) { try open(scene, previous: Array(repeating: oldPin, count: 8)) }
  }
}
