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
    #expect(try handle.source.awaitFresh(timeoutMs: -1).base.metadata.version == 1000)
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
        _ = try handle.source.awaitFreshAsync(timeoutMs: -1, on: handle.id) { result in
          versions.update { $0.append(try? result.get().base.metadata.version) }
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

  @Test("await fails with a timeout if the response does not arrive in time, and the live snapshot stays")
  func tooLate() throws {
    let handle = try scene.open()
    handle.refresh()
    scene.server.put("b", at: 2000)
    scene.transport.answer { _ in nil }
    #expect(code { _ = try handle.source.awaitFresh(timeoutMs: 1) } == .timeout)
    #expect(try handle.source.acquire().base.metadata.version == 1000)
  }

  @Test("await fails with the error of the refresh")
  func failure() throws {
    let handle = try scene.open()
    scene.transport.answer { _ in .success(.answer(500)) }
    #expect(code { _ = try handle.source.awaitFresh(timeoutMs: -1) } == .http)
  }

  @Test("await with timeout 0 sends no request, and fails with a timeout because the data is not fresh")
  func noTime() throws {
    let handle = try scene.open()
    #expect(code { _ = try handle.source.awaitFresh(timeoutMs: 0) } == .timeout)
    #expect(scene.transport.requests.isEmpty)
  }

  @Test("await with only_if_empty sends a request only before the first successful refresh")
  func onlyIfEmpty() throws {
    scene.server.remove("a", at: 2000)
    let handle = try scene.open()
    let onlyIfEmpty = try RefreshManner(isOnlyIfEmpty: true)
    #expect(try handle.source.awaitFresh(onlyIfEmpty, timeoutMs: -1).origin == .fetched)
    #expect(handle.keys.isEmpty)
    let count = scene.transport.requests.count
    #expect(try handle.source.awaitFresh(onlyIfEmpty, timeoutMs: 0).origin == .fetched)
    #expect(handle.source.refresh(onlyIfEmpty, timeoutMs: 0).outcome == .none)
    #expect(handle.source.refresh(onlyIfEmpty, timeoutMs: -1).error == nil)
    #expect(try scene.client.sync(onlyIfEmpty, timeoutMs: 0).error == nil)
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
    let onlyIfEmpty = try RefreshManner(isOnlyIfEmpty: true)
    #expect(try second.open().source.awaitFresh(onlyIfEmpty, timeoutMs: -1).origin == .cached)
    #expect(second.transport.requests.isEmpty)
  }
}
