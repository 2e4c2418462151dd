// SPDX-License-Identifier: Apache-2.0
//
// Packaged data: on the host's word at open, and verified by what it brought along at the first refresh or sync, when
// libcrypto is there anyway. Nothing is asked for, and nothing of it fails a refresh.

/// Verifies the packaged data of a source.
final class PackagedVerifier: SourcePart, Sendable {
  let core: SourceCore
  private let shell: SourceShell
  /// Whether the signatures of the packaged data were looked at, or need not be.
  private let isSettled: Confined<Bool>

  init(_ shell: SourceShell) {
    core = shell.core
    self.shell = shell
    isSettled = Confined(shell.core.options.packaged?.signatures.isEmpty ?? true)
  }

  /// Verifies the packaged data while it is live, once. What holds counts as if it had been fetched, but stays packaged;
  /// what does not hold stays on the host's word. `filesLock` is the right to the files, if the caller has it.
  func verify(_ filesLock: SourceLock? = nil, _ right: borrowing Exclusive) {
    // After a reset nothing packaged is verified: what was to be forgotten may be in it.
    let (ledger, live) = (ledger, live(right))
    guard !isSettled.read(right, \.self), let packaged = options.packaged, live.base === packaged.image,
      ledger.epoch == 0
    else { return }
    isSettled.set(right, \.self, to: true)
    let now = services.nowMs(notBefore: core.server)
    do throws(RemoraError) {
      let verified = try verifyPackaged(packaged, dialect, chains: runtime.worker.chains(right), atMs: now)
      let limits = VersionLimits(floor: ledger.floor, rule: dialect.versions)
      try limits.requireNotFuture(verified, nowMs: now)
      let base = Image(packaged.image, verified)
      let candidate = Snapshot(
        base: base, overlay: live.overlay, origin: live.origin, filterFailures: live.filterFailures)
      shell.show(candidate, by: .verifiedPackaged(ImageFacts(base)), right)
      note(.info, "the packaged data \(base.metadata.version) is verified")
      raiseStoredFloor(filesLock)
    } catch {
      note(.warning, "the packaged data is not verified, and stays on the host's word: \(error.message)")
    }
  }

  /// Writes the floor for other processes and for the next start. Who finds the files taken leaves it: the next start
  /// verifies what is packaged again.
  private func raiseStoredFloor(_ held: SourceLock?) {
    guard let storage else { return }
    do throws(RemoraError) {
      let taken = held == nil ? try storage.tryLock(name) : nil
      guard let filesLock = held ?? taken else { return }
      defer { taken?.unlock() }
      let ledger = ledger
      var stored = try filesLock.findLedger() ?? SourceLedger()
      guard stored.epoch == ledger.epoch, stored.floor < ledger.floor else { return }
      stored.floor = ledger.floor
      try filesLock.writeLedger(stored)
    } catch {
      noteStorage(error)
    }
  }
}

extension Image {
  /// Packaged data whose signature holds.
  fileprivate convenience init(_ packaged: Image, _ verified: Verified) {
    self.init(packaged, metadata: packaged.metadata.verified(by: verified))
  }
}
