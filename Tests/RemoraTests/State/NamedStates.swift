// SPDX-License-Identifier: Apache-2.0
//
// States of a source by name, and every kind of input: what the tests of the machine go through.

@testable import Remora

/// An image by its generation; version and checksum follow from it.
func facts(_ generation: UInt64, epoch: UInt64 = 0) -> ImageFacts {
  ImageFacts(
    stamp: Stamp(epoch: epoch, generation: generation), version: Int64(generation) * 1000,
    checksum: generation ^ epoch << 32)
}

/// A ledger that knows of an image.
func sourceLedger(_ generation: UInt64, epoch: UInt64 = 0, floor: Int64? = nil) -> SourceLedger {
  var ledger = SourceLedger()
  ledger.generation = generation
  ledger.epoch = epoch
  ledger.floor = floor ?? Int64(generation) * 1000
  return ledger
}

let storageProblem = RemoraError(.storage, "the disk is full")

/// A state with what differs from a source that has generation 1 live and stored.
func sourceState(
  live: ImageFacts = facts(1), origin: Origin = .cached, staged: ImageFacts? = nil,
  _ activation: ActivationMode = .immediate, isMuted: Bool = false, ledger known: SourceLedger = sourceLedger(1),
  health: FilesHealth = FilesHealth(), versions: VersionRule = .timestamps(maximumFutureMs: nil),
  _ change: (inout SourceState) -> Void = { _ in }
) -> SourceState {
  var state = SourceState(
    versions, live: LiveData(live, origin), staged: staged, activation: activation, isMuted: isMuted,
    ledger: known, health: health)
  change(&state)
  return state
}

/// The states that a source can be in between two inputs from outside.
let namedStates: [(name: String, state: SourceState)] = {
  let empty = ImageFacts(version: 0, checksum: 7)
  let due = PendingPromotion(ArrivingImage(facts(2), removedKeys: [[1]]))
  var states: [(String, SourceState)] = []
  for (activation, name) in [(ActivationMode.immediate, "immediate"), (.nextSetup, "next setup"), (.manual, "manual")] {
    states += [
      ("nothing, \(name)", sourceState(live: empty, origin: .none, activation, ledger: SourceLedger())),
      ("defaults, \(name)", sourceState(live: empty, origin: .defaults, activation, ledger: SourceLedger())),
      ("packaged, \(name)", sourceState(live: facts(0), origin: .packaged, activation, ledger: SourceLedger())),
      ("cached, \(name)", sourceState(activation)),
      ("fetched, \(name)", sourceState(origin: .fetched, activation)),
      (
        "fetched, in memory only, \(name)",
        sourceState(live: facts(2), origin: .fetched, activation) { $0.problems.storage = storageProblem }
      ),
      ("live file damaged, \(name)", sourceState(activation, health: FilesHealth(isLiveDamaged: true))),
      ("a file unread, \(name)", sourceState(activation, health: FilesHealth(isUnread: true))),
      (
        "after a reset, \(name)",
        sourceState(live: empty, origin: .none, activation, ledger: sourceLedger(2, epoch: 1, floor: 0))
      ),
      ("after a failure, \(name)", sourceState(activation) { $0.problems.refresh = RemoraError(.network, "no route") }),
      ("numbers that rise, \(name)", sourceState(activation, versions: .raised(above: nil))),
      ("times of fetches, \(name)", sourceState(activation, versions: .fetchTimes)),
    ]
  }
  for (activation, name) in [(ActivationMode.nextSetup, "next setup"), (.manual, "manual")] {
    states += [
      ("staged, \(name)", sourceState(staged: facts(2), activation, ledger: sourceLedger(2))),
      ("staged in memory only, \(name)", sourceState(staged: facts(2), activation)),
      (
        "staged over nothing, \(name)",
        sourceState(live: empty, origin: .none, staged: facts(2), activation, ledger: sourceLedger(2))
      ),
    ]
  }
  states += [
    ("muted", sourceState(.nextSetup, isMuted: true)),
    ("muted with staged", sourceState(staged: facts(2), .nextSetup, isMuted: true, ledger: sourceLedger(2))),
    ("live here, staged in the storage", sourceState(live: facts(2), ledger: sourceLedger(2)) { $0.promotion = due }),
    (
      "rejected here, not stored",
      sourceState(ledger: sourceLedger(2)) { $0.rejected = RejectedImage(facts(2), isDue: true) }
    ),
    ("announced by others", sourceState { $0.pendingExperiments.areLeftToOthers = true }),
  ]
  return states
}()

/// Every kind of input from outside, by name.
let outsideInputs: [(name: String, input: SourceInput)] = {
  let start = LiveData(ImageFacts(version: 0, checksum: 7), .none)
  let freshness = ResponseLifetime(nowMs: 50_000, maxAge: 60, tag: EntityTag("\"a\"", url: 9))
  let files = FoundFiles(
    ledger: sourceLedger(3), readGeneration: 3, newest: facts(3), isNewestStaged: false, health: FilesHealth(),
    problem: nil,
    start: start)
  var reset = files
  (reset.ledger, reset.newest) = (sourceLedger(3, epoch: 1, floor: 0), nil)
  var later = files
  (later.ledger, later.newest) = (sourceLedger(4, epoch: 1), facts(4, epoch: 1))
  var rejecting = files
  let bad = FoundRejection(facts(1), isLive: true, isStaged: false, rest: start)
  (rejecting.newest, rejecting.rejection) = (nil, bad)
  var useless = files
  useless.newest = nil
  return [
    ("attempted", .attempted(nowMs: 40_000, jitter: 5)),
    ("compiled", .compiled(ArrivingImage(facts(3), removedKeys: [[2]]), freshness)),
    ("confirmed", .confirmed(ArrivingImage(facts(1)), freshness)),
    ("offered a version that is not newer", .offeredNotNewer),
    ("failed", .failed(RemoraError(.network, "no route"), .failed, isAttempt: true)),
    ("refused", .failed(RemoraError(.signatureMismatch, "not signed"), .refused, isAttempt: true)),
    ("saw the same ledger", .sawLedger(sourceLedger(1), reader: .look)),
    ("saw a newer ledger", .sawLedger(sourceLedger(9), reader: .look)),
    ("saw an attempt", .sawAttempt(sourceLedger(1))),
    ("found newer files", .found(files, reader: .look)),
    ("found newer files for a refresh", .found(files, reader: .refresh(least: .min))),
    ("found a reset", .found(reset, reader: .look)),
    ("found a reset and what followed", .found(later, reader: .look)),
    ("found nothing usable", .found(useless, reader: .look)),
    ("may look again", .lookDue),
    ("may promote", .promotionDue),
    ("another directory", .storageReplaced),
    ("reset", .reset(sourceLedger(9, epoch: 1, floor: 0), start: start)),
    ("reject", .reject(FoundRejection(facts(1), isLive: true, isStaged: false, rest: start), FilesHealth())),
    ("may store a rejection", .rejectionDue),
    ("found a rejection", .found(rejecting, reader: .look)),
    ("recomposed", .recomposed(.context, isVisible: true)),
    ("recomposed the same", .recomposed(.override, isVisible: false)),
    ("mute", .mute),
    ("storage failed", .storageFailed(storageProblem)),
    ("storage works", .storageWorks(since: storageProblem)),
  ]
}()
