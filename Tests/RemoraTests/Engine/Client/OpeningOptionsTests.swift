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

  @Test("a bundle without a url cannot be opened with first_fetch AT_OPEN")
  func localBundle() throws {
    var options = BundleOptions()
    options.opening.firstFetch = .atOpen
    #expect(
      throws: RemoraError.invalidArgument(
        "first_fetch", "must not be REMORA_FIRST_FETCH_AT_OPEN without url, because a fetch needs url")
    ) {
      _ = try Scene().client.openBundle(options)
    }
  }
}
