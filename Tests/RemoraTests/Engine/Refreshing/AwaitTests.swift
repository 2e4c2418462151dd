// SPDX-License-Identifier: Apache-2.0
//
// Waiting for fresh settings: what comes in time, what was live at the call, and when nothing is asked.

import Testing

@testable import Remora

@Suite("Await (returns fresh data, or the current data when the time is up)")
struct AwaitTests {
  let scene: Scene

  init() throws {
    scene = try Scene()
    scene.server.put("a", at: 1000)
  }

  @Test("await returns the fresh snapshot if the response arrives in time")
  func inTime() throws {
    let handle = try scene.open()
    let (snapshot, error) = handle.source.awaitFresh(onlyIfEmpty: false, timeoutMs: -1)
    #expect(error == nil)
    #expect(snapshot?.base.metadata.version == 1000)
  }

  @Test("await uses a refresh whose response is already being processed, but a new refresh sends its own request")
  func answeredBefore() throws {
    let action = Box<(@Sendable () throws -> Void)?>(nil)
    var dialect = HeldDialect(base: try scene.server.dialect(), hold: DecodingHold())
    dialect.whenCompared = { try? action.update { $0.take() }?() }
    let handle = try scene.client.open(dialect, SourceOptions())
    let versions = Box<[Int64?]>([])
    action.update {
      $0 = {
        _ = try handle.source.awaitFreshAsync(onlyIfEmpty: false, timeoutMs: -1, on: handle.id) { result in
          versions.update { $0.append(result.snapshot?.base.metadata.version) }
        }
      }
    }
    #expect(handle.refresh().outcome == .updated)
    #expect(versions.wait { $0 == [1000] })
    #expect(documentRequests == 1)
    let ends = Completions([])
    scene.server.put("b", at: 2000)
    action.update { $0 = { _ = try handle.source.refreshAsync(into: ends) } }
    #expect(handle.refresh().outcome == .updated)
    #expect(ends.outcomes() == [.unchanged])
    #expect(documentRequests == 3)
  }

  private var documentRequests: Int { scene.transport.requests.count { $0.url.contains("changeset") } }

  @Test("await returns the previous snapshot and a timeout error if the response does not arrive in time")
  func tooLate() throws {
    let handle = try scene.open()
    handle.refresh()
    scene.server.put("b", at: 2000)
    scene.transport.answer { _ in nil }
    let (snapshot, error) = handle.source.awaitFresh(onlyIfEmpty: false, timeoutMs: 1)
    #expect(error?.code == .timeout)
    #expect(snapshot?.base.metadata.version == 1000)
  }

  @Test("await returns the previous snapshot and the error of the refresh if the refresh fails")
  func failure() throws {
    let handle = try scene.open()
    scene.transport.answer { _ in .success(.answer(500)) }
    let (snapshot, error) = handle.source.awaitFresh(onlyIfEmpty: false, timeoutMs: -1)
    #expect(error?.httpStatus == 500)
    #expect(snapshot?.origin == Origin.none)
  }

  @Test("await with timeout 0 sends no request")
  func noTime() throws {
    let (snapshot, error) = try scene.open().source.awaitFresh(onlyIfEmpty: false, timeoutMs: 0)
    #expect(snapshot?.origin == Origin.none)
    #expect(error == nil)
    #expect(scene.transport.requests.isEmpty)
  }

  @Test("await with only_if_empty sends a request only before the first successful refresh")
  func onlyIfEmpty() throws {
    scene.server.remove("a", at: 2000)
    let handle = try scene.open()
    #expect(handle.source.awaitFresh(onlyIfEmpty: true, timeoutMs: -1).snapshot?.origin == .fetched)
    #expect(handle.keys.isEmpty)
    let count = scene.transport.requests.count
    #expect(handle.source.awaitFresh(onlyIfEmpty: true, timeoutMs: -1).snapshot?.origin == .fetched)
    #expect(scene.transport.requests.count == count)
  }

  @Test("after a restart, await with only_if_empty sends no request for a collection that was fetched empty")
  func emptyAfterRestart() throws {
    let directory = try TemporaryDirectory()
    scene.server.remove("a", at: 2000)
    do {
      let first = try Scene(in: directory, server: scene.server)
      #expect(try first.open().refresh().outcome == .updated)
    }
    let second = try Scene(in: directory, server: scene.server)
    #expect(try second.open().source.awaitFresh(onlyIfEmpty: true, timeoutMs: -1).snapshot?.origin == .cached)
    #expect(second.transport.requests.isEmpty)
  }
}
