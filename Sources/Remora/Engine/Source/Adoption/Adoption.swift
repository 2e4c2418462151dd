// SPDX-License-Identifier: Apache-2.0
//
// Finding what another client or process stored, and following a storage directory that was replaced.

/// Picks up what others stored of a source.
final class Adoption: SourcePart, Sendable {
  let core: SourceCore
  private let shell: SourceShell
  private let overrides: OverridesStore
  /// How often the storage directory had been replaced at the last look.
  private let replacementsSeen: Guarded<Int>

  init(_ shell: SourceShell, _ overrides: OverridesStore, replacementsSeen: Int) {
    core = shell.core
    self.shell = shell
    self.overrides = overrides
    self.replacementsSeen = Guarded(replacementsSeen)
  }

  /// Adopts what another client or process stored since.
  ///
  /// - Returns: What that came to; nil if there was no newer image.
  @discardableResult
  func adopt(for run: RefreshRun? = nil, _ right: borrowing Exclusive) -> Outcome? {
    guard let storage else { return nil }
    beginInNewStorage(right)
    do throws(RemoraError) {
      let ledger = try shell.files.findLedger(in: storage, right) ?? SourceLedger()
      return shell.carryOut(.sawLedger(ledger, reader: run == nil ? .look : .refresh), for: run, right)
    } catch {
      noteStorage(error)
      // Who does not know what others have stored must not replace it.
      for run in lock.withLock({ core.runs.read($0, \.self) }) { run.work.set(right, \.filesLock, to: nil) }
      return nil
    }
  }

  /// The once-a-second look; not while a run of this source holds the files. Returns what it came to, as `adopt`.
  @discardableResult
  func adoptIfNewer(_ right: borrowing Exclusive) -> Outcome? {
    let isIdle = lock.withLock { core.runs.read($0, \.isEmpty) && !core.state.read($0, \.isEnded) }
    return isIdle ? adopt(right) : nil
  }

  /// Picks up what another process noted of its last attempt.
  func noteAttemptOfOthers(_ right: borrowing Exclusive) {
    guard let storage, let seen = try? shell.files.findLedger(in: storage, right) else { return }
    lock.withLock { _ = core.apply(.sawAttempt(seen), $0) }
  }

  /// Forgets what the replaced directory had: anything in the new one is newer, and what is in memory is stored there at
  /// the next refresh.
  private func beginInNewStorage(_ right: borrowing Exclusive) {
    let isAnythingStored = options.persistsOverrides && !core.snapshots.read(right, \.layers.overrides).all.isEmpty
    lock.withLock { locked in
      let replacements = services.replacements(locked)
      guard replacementsSeen.set(locked, \.self, to: replacements) != replacements else { return }
      _ = core.apply(.storageReplaced, locked)
      overrides.file.with(locked) { $0.noteNewStorage(isAnythingStored: isAnythingStored) }
    }
  }
}
