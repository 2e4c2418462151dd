// SPDX-License-Identifier: Apache-2.0
//
// Packaged data: accepted without a check at opening, and verified with its own chain at the first refresh or sync,
// when libcrypto is loaded anyway. The verification sends no request and never fails a refresh.

final class PackagedVerifier: SourcePart, Sendable {
  let core: SourceCore
  private let publisher: SourcePublisher
  /// Whether the signatures of the packaged data were checked, or need no check.
  private let isSettled: Confined<Bool>

  init(_ publisher: SourcePublisher) {
    core = publisher.core
    self.publisher = publisher
    isSettled = Confined(publisher.core.options.packaged?.signatures.isEmpty ?? true)
  }

  /// Verifies the packaged data while it is live, once. If it is valid, it counts as fetched data, but stays packaged;
  /// if not, it remains unverified. `filesLock` is the files' lock, if the caller holds it.
  func verify(_ filesLock: SourceLock? = nil, _ exclusive: Exclusive) {
    // Skipped after a reset, because the packaged data may be what the reset was to discard.
    let (ledger, live) = (ledger, live(exclusive))
    guard !isSettled[exclusive], let packaged = options.packaged, live.base === packaged.image,
      ledger.epoch == 0
    else { return }
    isSettled[exclusive] = true
    let now = services.nowMs(notBefore: core.server)
    do throws(RemoraError) {
      let verified = try verifyPackaged(packaged, dialect, chains: runtime.worker.chains(exclusive), atMs: now)
      let limits = VersionLimits(floor: ledger.floor, rule: dialect.versions)
      try limits.requireNotFuture(verified, nowMs: now)
      let base = Image(packaged.image, verified)
      publisher.show(publisher.composer.verified(base, exclusive), by: .verifiedPackaged(ImageFacts(base)), exclusive)
      note(.info, "the packaged data of version \(base.metadata.version) is verified")
      raiseStoredFloor(filesLock)
    } catch {
      note(.warning, "the packaged data is not verified, but stays in use: \(error.message)")
    }
  }

  /// Writes the floor for other processes and for the next start. Skipped if the files are busy, because the next start
  /// verifies the packaged data again.
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
  /// Creates an image of packaged data whose signature is valid.
  fileprivate convenience init(_ packaged: Image, _ verified: Verified) {
    self.init(packaged, metadata: packaged.metadata.verified(by: verified))
  }
}
