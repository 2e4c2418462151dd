// SPDX-License-Identifier: Apache-2.0
//
// The eleven steps that Firefox's own signature test takes a collection through, as its users see them here: where
// the reference clears good data and fetches it again, nothing moves.

import Testing

@testable import Remora

@Suite("Refreshes over eleven versions of a signed collection")
struct SyncScenarioTests {
  /// Answers from a list of documents, the last one again and again; chains, and all without a list, are as always.
  private static func script(_ server: SignedServer, _ documents: [Changeset]?) -> ScriptedTransport.Script {
    let rest = Box(documents ?? [])
    return { request in
      if request.url.hasSuffix(".pem") || documents == nil { return .success(server.answer(request.url)) }
      let next = rest.update { $0.count > 1 ? $0.removeFirst() : $0.first }
      return next.map { .success($0.response) } ?? .success(.answer(500))
    }
  }

  private static func spoiled(_ server: SignedServer, _ changeset: Changeset) -> Changeset {
    var bad = changeset
    bad.signatures = [signatureObject(forgedSignature, x5u: server.x5u)]
    return bad
  }

  @Test("after each new version, a refresh has the expected data, outcome and requests, and sends one event")
  func steps() throws {
    let directory = try TemporaryDirectory()
    let scene = try Scene(in: directory)
    let (server, transport) = (scene.server, scene.transport)
    let recorder = Recorder()
    let source = try scene.open(subscriber: recorder.sink)
    #expect(recorder.seen(1).count == 1)

    func step(_ documents: [Changeset]?, _ outcome: Outcome, _ keys: [String], requests: [String]) {
      let before = transport.urls.count
      transport.answer(Self.script(server, documents))
      let events = recorder.all.count
      #expect(source.refresh().outcome == outcome)
      // Unread updates would merge.
      #expect(recorder.seen(events + 1).count == events + 1)
      #expect(source.keys == keys)
      #expect(Array(transport.urls.dropFirst(before)) == requests)
    }

    // 1: an empty collection, signed.
    server.touch(at: 1000)
    step(nil, .updated, [], requests: ["changeset?_expected=0", "chain.pem"])
    // 2: two records are added.
    server.put("one", at: 2000)
    server.put("two", at: 3000)
    step(nil, .updated, ["one", "two"], requests: ["changeset?_expected=0&_since=1000"])
    // 3: one is added, one removed.
    server.put("three", at: 3500)
    server.remove("one", at: 4000)
    step(nil, .updated, ["three", "two"], requests: ["changeset?_expected=0&_since=3000"])
    // 4: nothing happens.
    step(nil, .unchanged, ["three", "two"], requests: ["changeset?_expected=0&_since=4000"])
    // 5: a bad diff, then the good full answer, which is what we have.
    let full4000 = try server.changeset()
    var lie = Self.spoiled(server, try server.changeset(since: 4000))
    lie.changes = [record("evil", at: 4000)]
    step(
      [lie, full4000], .unchanged, ["three", "two"],
      requests: ["changeset?_expected=0&_since=4000", "chain.pem", "changeset?_expected=0"])
    // 6: a bad diff, then an older full answer that is genuine: ignored.
    let older = try SignedServer(chain: server.chain, base: server.base)
    older.put("one", at: 2000)
    older.put("two", at: 3000)
    step(
      [lie, try older.changeset()], .notNewer, ["three", "two"],
      requests: ["changeset?_expected=0&_since=4000", "chain.pem", "changeset?_expected=0"])
    // 7: a diff for somebody else's base, then a good full answer that moves on.
    server.put("two", #""v":2"#, at: 4500)
    server.put("four", at: 5000)
    server.remove("three", at: 5001)
    var partial = try server.changeset(since: 4000)
    partial.changes.removeFirst()
    step(
      [partial, try server.changeset()], .updated, ["four", "two"],
      requests: ["changeset?_expected=0&_since=4000", "chain.pem", "changeset?_expected=0"])
    // 8: bad twice: what we have is kept.
    server.put("five", at: 6000)
    let bad = [Self.spoiled(server, try server.changeset(since: 5001)), Self.spoiled(server, try server.changeset())]
    step(
      bad, .refused, ["four", "two"],
      requests: ["changeset?_expected=0&_since=5001", "chain.pem", "changeset?_expected=0", "chain.pem"])
    // 9: bad twice after a restart: still kept, where the reference would clear.
    let again = try Scene(in: directory, server: server, transport: ScriptedTransport(Self.script(server, bad)))
    let reopened = try again.open()
    #expect(try reopened.source.info().origin == .cached)
    #expect(reopened.refresh().outcome == .refused)
    #expect(reopened.keys == ["four", "two"])
    // 10: an empty list under a forged signature empties nothing.
    var empty = Self.spoiled(server, try server.changeset())
    empty.changes = []
    step(
      [empty], .refused, ["four", "two"],
      requests: ["changeset?_expected=0&_since=5001", "chain.pem", "changeset?_expected=0", "chain.pem"])
    // 11: the server is good again.
    step(nil, .updated, ["five", "four", "two"], requests: ["changeset?_expected=0&_since=5001"])

    #expect(
      recorder.seen(11) == [
        SeenEvent(cause: .opened),
        SeenEvent(cause: .refreshed, outcome: .updated, old: 0, new: 1000),
        SeenEvent(cause: .refreshed, outcome: .updated, old: 1000, new: 3000, changes: ["created one", "created two"]),
        SeenEvent(
          cause: .refreshed, outcome: .updated, old: 3000, new: 4000, changes: ["deleted one", "created three"]),
        SeenEvent(cause: .refreshed, outcome: .unchanged, old: 4000, new: 4000),
        SeenEvent(cause: .refreshed, outcome: .unchanged, old: 4000, new: 4000),
        SeenEvent(cause: .refreshed, outcome: .notNewer, old: 4000, new: 4000),
        SeenEvent(
          cause: .refreshed, outcome: .updated, old: 4000, new: 5001,
          changes: ["created four", "deleted three", "updated two"]),
        SeenEvent(cause: .refreshed, outcome: .refused, old: 5001, new: 5001, error: .signatureMismatch),
        SeenEvent(cause: .refreshed, outcome: .refused, old: 5001, new: 5001, error: .signatureMismatch),
        SeenEvent(cause: .refreshed, outcome: .updated, old: 5001, new: 6000, changes: ["created five"]),
      ])
  }
}
