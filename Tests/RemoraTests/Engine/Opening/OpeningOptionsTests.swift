// SPDX-License-Identifier: Apache-2.0
//
// Whether opening a source begins a refresh.

import Testing

@testable import Remora

@Suite("The option first_fetch of an opening")
struct OpeningOptionsTests {
  @Test(
    "opening a collection sends no request if first_fetch is DEFAULT or ON_REQUEST",
    arguments: [.kindsDefault, .onRequest] as [FirstFetch])
  func onRequest(_ firstFetch: FirstFetch) throws {
    let scene = try Scene()
    _ = try scene.open { $0.opening.firstFetch = firstFetch }
    try drainWorker()
    #expect(scene.transport.requests.isEmpty)
  }

  @Test("opening a collection with a refresh interval starts a refresh, unless first_fetch is ON_REQUEST")
  func interval() throws {
    // The schedule's own first refresh is due at the end of the interval.
    let scene = try Scene(random: { .max })
    scene.server.put("a", at: 1000)
    _ = try scene.open {
      $0.opening.refreshIntervalMs = 60_000
      $0.opening.firstFetch = .onRequest
    }
    try drainWorker()
    #expect(scene.transport.requests.isEmpty)
    let other = try Scene(server: scene.server)
    _ = try other.open { $0.opening.refreshIntervalMs = 60_000 }
    #expect(other.transport.waitForRequests(1))
  }

  @Test("each opening of a collection starts a refresh if first_fetch is AT_OPEN")
  func atOpen() throws {
    let scene = try Scene()
    scene.server.put("a", at: 1000)
    let first = try scene.open { $0.opening.firstFetch = .atOpen }
    #expect(first.refresh().error == nil)
    let count = scene.transport.requests.count
    _ = try scene.open { $0.opening.firstFetch = .atOpen }
    #expect(scene.transport.waitForRequests(count + 1))
  }

  @Test("a bundle without a URL cannot be opened with a first fetch at the opening")
  func localBundle() throws {
    var options = BundleOptions()
    options.opening.firstFetch = .atOpen
    #expect(
      throws: RemoraError.invalidArgument(
        "first_fetch", "asks for a request at the opening, but the bundle has no URL")
    ) {
      _ = try Scene().client.openBundle(options)
    }
  }
}
