// SPDX-License-Identifier: Apache-2.0
//
// How hosts judge versions: they reject bad ones, sometimes late, twice, or in a callback, and rarely a good one.

import Remora

extension HostSteps {
  /// Judges what is live or staged, or what was so earlier.
  func judge(_ opened: OpenedSource) {
    let live = try? opened.source.acquire()
    let found =
      switch world.random.below(6) {
      case 0...3: live
      case 4: opened.source.stagedSnapshot
      default: opened.kept
      }
    if world.random.oneIn(4) { opened.kept = live }
    if let found { judge(found, opened) }
  }

  func judge(_ snapshot: Snapshot, _ opened: OpenedSource) {
    let isFetched = snapshot.origin == .fetched || snapshot.origin == .cached
    let isBad = isFetched && world.server.isBad(opened.kind, world.invariants.number(opened.kind, snapshot.base))
    guard isBad ? !world.random.oneIn(8) : world.random.oneIn(40) else { return }
    reject(snapshot, opened)
    if !process.isDead, world.random.oneIn(6) { reject(snapshot, opened) }
  }

  private func reject(_ snapshot: Snapshot, _ opened: OpenedSource) {
    let call = world.invariants.willReject(snapshot, opened, of: process)
    world.note("p\(process.id) rejects \(opened.kind) \(call.number), \(snapshot.text)")
    do {
      try opened.source.reject(snapshot, reason: nil, withinMs: world.random.oneIn(4) ? 5000 : 0)
      world.invariants.rejected(call, opened, of: process)
    } catch {
      world.note("p\(process.id) \(error)")
      world.invariants.notRejected(call, opened, of: process, error)
    }
  }
}
