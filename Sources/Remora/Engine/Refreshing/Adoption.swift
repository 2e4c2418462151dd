// SPDX-License-Identifier: Apache-2.0
//
// Picks up data that another client or process stored, and follows a replaced storage directory.

/// Picks up a source's data that other clients or processes stored.
final class Adoption: SourcePart, Sendable {
  let core: SourceCore
  private let shell: SourceShell
  private let overrides: OverridesStore
  /// The number of replacements of the storage directory at the last check.
  private let replacementsSeen: Guarded<Int>

  init(_ shell: SourceShell, _ overrides: OverridesStore, replacementsSeen: Int) {
    core = shell.core
    self.shell = shell
    self.overrides = overrides
    self.replacementsSeen = Guarded(replacementsSeen)
  }

  /// Picks up data that another client or process has stored since the last check.
  ///
  /// - Returns: The outcome; nil if there was no newer image.
  @discardableResult
  func adopt(for run: RefreshRun? = nil, _ right: Exclusive) -> Outcome? {
    guard let storage else { return nil }
    beginInNewStorage(right)
    do throws(RemoraError) {
      let ledger = try shell.files.findLedger(in: storage, right) ?? SourceLedger()
      let reader = run.map { FilesReader.refresh(least: $0.leastVersion) } ?? .look
      return shell.carryOut(.sawLedger(ledger, reader: reader), for: run, right)
    } catch {
      noteStorage(error)
      // Without knowing what others have stored, this process must not replace it.
      for run in lock.withLock({ core.runs[$0] }) { run.work[right].filesLock = nil }
      return nil
    }
  }

  /// Checks for newer data once a second, unless a run of this source holds the files. Returns the outcome, as `adopt`.
  @discardableResult
  func adoptIfNewer(_ right: Exclusive) -> Outcome? {
    let isIdle = lock.withLock { core.runs[$0].isEmpty && !core.state[$0].isEnded }
    return isIdle ? adopt(right) : nil
  }

  /// Picks up what another process recorded about its last attempt.
  func noteAttemptOfOthers(_ right: Exclusive) {
    guard let storage, let seen = try? shell.files.findLedger(in: storage, right) else { return }
    lock.withLock { _ = core.apply(.sawAttempt(seen), $0) }
  }

  /// Handles a replaced directory: any image in the new one counts as newer, and data in memory is stored there by the
  /// next refresh.
  private func beginInNewStorage(_ right: Exclusive) {
    let isAnythingStored = options.persistsOverrides && !core.snapshots[right].layers.overrides.all.isEmpty
    lock.withLock { locked in
      let replacements = services.replacements(locked)
      guard exchange(&replacementsSeen[locked], replacements) != replacements else { return }
      _ = core.apply(.storageReplaced, locked)
      overrides.file[locked].noteNewStorage(isAnythingStored: isAnythingStored)
    }
  }
}
