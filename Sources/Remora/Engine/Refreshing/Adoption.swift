// SPDX-License-Identifier: Apache-2.0
//
// Picks up data that another client or process stored, and follows a replaced storage directory.

final class Adoption: SourcePart, Sendable {
  let core: SourceCore
  private let publisher: SourcePublisher
  private let overrides: OverridesStore
  private let runs: RefreshRuns
  /// The number of replacements of the storage directory at the last check.
  private let replacementsSeen: Guarded<Int>

  init(_ publisher: SourcePublisher, _ overrides: OverridesStore, _ runs: RefreshRuns, replacementsSeen: Int) {
    core = publisher.core
    self.publisher = publisher
    self.overrides = overrides
    self.runs = runs
    self.replacementsSeen = Guarded(replacementsSeen)
  }

  /// Picks up data that another client or process has stored since the last check.
  ///
  /// - Returns: The outcome; nil if there was no newer image.
  @discardableResult
  func adopt(for run: RefreshRun? = nil, _ exclusive: Exclusive) -> Outcome? {
    guard let storage else { return nil }
    beginInNewStorage(exclusive)
    do throws(RemoraError) {
      let ledger = try publisher.files.findLedger(in: storage, exclusive) ?? SourceLedger()
      let reader = run.map { FilesReader.refresh(least: $0.leastVersion) } ?? .look
      return publisher.carryOut(.sawLedger(ledger, reader: reader), for: run?.publishing, exclusive)
    } catch {
      // Logged once, although the check is repeated each second, and more often while a refresh waits for the lock.
      if known.problems.storage != error { noteStorage(error) }
      publisher.files.releaseAll(exclusive)
      return nil
    }
  }

  /// Checks for newer data once a second, unless a run of this source holds the files. Returns the outcome, as `adopt`.
  @discardableResult
  func adoptIfNewer(_ exclusive: Exclusive) -> Outcome? {
    let isIdle = lock.withLock { runs.isEmpty($0) && !core.state[$0].isEnded }
    return isIdle ? adopt(exclusive) : nil
  }

  /// Picks up what another process recorded about its last attempt.
  func noteAttemptOfOthers(_ exclusive: Exclusive) {
    guard let storage, let seen = try? publisher.files.findLedger(in: storage, exclusive) else { return }
    lock.withLock { _ = core.apply(.sawAttempt(seen), $0) }
  }

  /// Handles a replaced directory: any image in the new one counts as newer, and data in memory is stored there by the
  /// next refresh.
  private func beginInNewStorage(_ exclusive: Exclusive) {
    let isAnythingStored = options.persistsOverrides && !core.snapshots[exclusive].adjustments.overrides.all.isEmpty
    lock.withLock { locked in
      let replacements = services.replacements(locked)
      guard exchange(&replacementsSeen[locked], replacements) != replacements else { return }
      _ = core.apply(.storageReplaced, locked)
      overrides.file[locked].noteNewStorage(isAnythingStored: isAnythingStored)
    }
  }
}
