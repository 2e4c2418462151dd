// SPDX-License-Identifier: Apache-2.0
//
// What is checked of resets: invariant 9. A reset that returns has forgotten everything. One that fails has forgotten
// nothing, and one that a crash ends has done either.

import Remora

extension Invariants {
  /// Notes that a reset begins. Returns what was expected before.
  func willReset(_ kind: Kind) -> Expected {
    let before = now(kind)
    resetting += 1
    update(kind) { $0.rejections.resetting += 1 }
    update(kind) { expected in
      expected.beforeReset = before.stored ?? before.beforeReset
      expected.stored = nil
      expected.disturbances += 1
      expected.mayAnnounceTwice = true
    }
    forgetRejections(kind)
    return before
  }

  func resetEnded(_ kind: Kind) {
    resetting -= 1
    update(kind) { $0.rejections.resetting -= 1 }
  }

  func wasReset(_ opened: OpenedSource, of process: SimulatedProcess) {
    update(opened.kind) { expected in
      expected.stored = nil
      expected.beforeReset = nil
      expected.disturbances += 1
      expected.newestVersion = .min
    }
    guard let info = try? opened.source.info() else { return }
    update(opened.kind) { expected in
      expected.isResetUncertain = info.storageError != nil
      if !expected.isResetUncertain { expected.leastEpoch = expected.newestEpoch + 1 }
    }
  }

  /// The process of a reset was killed: what another one stored meanwhile may be forgotten.
  func resetWasCut(_ kind: Kind) { update(kind) { $0.disturbances += 1 } }

  /// A reset that failed has changed nothing.
  func resetFailed(_ kind: Kind, _ before: Expected) {
    let expected = now(kind)
    guard expected.disturbances == before.disturbances + 1, expected.stored == nil else { return }
    update(kind) { expected in
      expected.stored = before.stored
      expected.beforeReset = before.beforeReset
      expected.disturbances = before.disturbances
    }
    guard let stored = before.stored, let name = expected.name else { return }
    let left = storedImages(of: name).map { ($0.metadata.epoch, $0.metadata.version) }
    if !left.contains(where: { $0 >= stored }) {
      fail(9, "\(kind): a reset that failed has removed \(stored.version) (epoch \(stored.epoch))")
    }
  }

  /// Checks what an opening found after a reset that a crash has ended.
  ///
  /// - Parameter before: What was expected when the opening began.
  func checkUnfinishedReset(_ opened: OpenedSource, _ before: Expected, _ process: SimulatedProcess, found: String) {
    let expected = now(opened.kind)
    guard let wanted = before.beforeReset, expected.beforeReset.map({ $0 == wanted }) ?? false else { return }
    if let newest = opened.source.newestMetadata, (newest.epoch, newest.version) >= wanted { return }
    guard let name = expected.name, let epoch = storedEpoch(of: name, process), epoch <= wanted.epoch else { return }
    fail(9, "\(opened.kind): \(found), and no reset has ended the epoch \(wanted.epoch) of \(wanted.version)")
  }

  /// The epoch in the stored ledger of a source; nil if that cannot be read.
  private func storedEpoch(of name: StorageName, _ process: SimulatedProcess) -> UInt64? {
    world.calmly {
      let storage = try? StorageDirectory.open(
        path: "/simulated", calls: process.files.calls, lockFiles: LockFiles())
      return storage.map { (try? $0.findLedger(name))?.epoch ?? 0 }
    }
  }
}
