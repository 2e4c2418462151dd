// SPDX-License-Identifier: Apache-2.0
//
// The state of a source whose images cannot be stored or read, or were stored by others.

import Testing

@testable import Remora

extension SourceStateTests {
  @Test("fetched data that cannot be stored is used, and stored when the server next confirms it")
  func memoryOnly() {
    var state = sourceState()
    _ = run(&state, .compiled(ArrivingImage(facts(2)), freshness), stores: false)
    #expect(state.live.image == facts(2))
    #expect(state.isNewestInMemoryOnly)
    let step = run(&state, .confirmed(ArrivingImage(facts(2)), freshness))
    #expect(step.work.first == .store(.newest, .live))
    #expect(!state.isNewestInMemoryOnly)
  }

  @Test("experiments of data that cannot be stored are reported, unless another process holds the lock of the files")
  func announcedByOthers() {
    let arrival = ArrivingImage(facts(2), experiments: [ExperimentID(name: Array("e".utf8), variant: Array("v".utf8))])
    for isBusy in [true, false] {
      var state = sourceState()
      _ = state.handle(.compiled(arrival, freshness))
      _ = state.handle(.notStored(isBusy: isBusy))
      _ = state.handle(.published)
      #expect(state.pendingExperiments.ids.isEmpty == isBusy)
      #expect(state.pendingExperiments.areLeftToOthers == isBusy)
    }
  }

  @Test("the error about data that could not be stored is reported until a newer stored file is found")
  func memoryOnlyBesideFiles() {
    var state = sourceState()
    _ = run(&state, .storageFailed(storageProblem))
    _ = run(&state, .compiled(ArrivingImage(facts(2)), freshness), stores: false)
    var found = FoundFiles(
      ledger: sourceLedger(9, floor: 0), readGeneration: 9, newest: facts(1), isNewestStaged: false,
      health: FilesHealth(),
      problem: nil, start: LiveData(facts(1), .none))
    _ = run(&state, .found(found, reader: .look))
    #expect(state.problems.storage == storageProblem)
    #expect(state.isNewestInMemoryOnly)
    found.newest = facts(3)
    _ = run(&state, .found(found, reader: .look))
    #expect(state.problems.storage == nil)
    #expect(state.live.image == facts(3))
  }

  @Test("while data is not stored, its error is reported again once another storage error that replaced it is solved")
  func memoryOnlyBehindAnotherProblem() {
    let later = RemoraError(.storage, "the overrides cannot be written")
    var state = sourceState()
    _ = run(&state, .compiled(ArrivingImage(facts(2)), freshness), stores: false, problem: storageProblem)
    _ = run(&state, .storageFailed(later))
    #expect(state.problems.storage == later)
    _ = run(&state, .storageWorks(since: later))
    #expect(state.problems.storage == storageProblem)
    _ = run(&state, .confirmed(ArrivingImage(facts(2)), freshness))
    #expect(state.problems.storage == nil)
    _ = run(&state, .storageFailed(later))
    _ = run(&state, .storageWorks(since: later))
    #expect(state.problems.storage == nil)
  }

  @Test("if data and overrides could not be stored, storing the overrides later does not clear the error of the data")
  func memoryOnlyBesideTheSameProblem() {
    var state = sourceState()
    _ = run(&state, .compiled(ArrivingImage(facts(2)), freshness), stores: false, problem: storageProblem)
    _ = run(&state, .storageWorks(since: storageProblem))
    #expect(state.problems.storage == storageProblem)
  }

  @Test("a reset clears the error about data that could not be stored, because it discards that data")
  func resetOfUnstoredData() {
    var state = sourceState()
    _ = run(&state, .compiled(ArrivingImage(facts(2)), freshness), stores: false, problem: storageProblem)
    _ = run(&state, .reset(sourceLedger(1), start: LiveData(facts(0), .none)))
    #expect(state.problems.storage == nil)
    let other = RemoraError(.storage, "a file was not removed")
    _ = run(&state, .storageFailed(other))
    _ = run(&state, .reset(sourceLedger(2), start: LiveData(facts(0), .none)))
    #expect(state.problems.storage == other)
  }

  @Test("the error about a damaged file of current data is cleared only when new data replaces the file")
  func damageReplaced() {
    let damage = RemoraError(.corrupt, "the stored file has a wrong checksum")
    for (code, result) in [
      (RemoraError.Code.corrupt, PromotionResult.done([])), (.storage, .done([])), (.corrupt, .busy),
    ] {
      var state = sourceState(
        staged: facts(2), .manual, ledger: sourceLedger(2), health: FilesHealth(isLiveDamaged: true))
      state.problems.storage = RemoraError(code, damage.message)
      _ = run(&state, .activate(ArrivingImage(facts(2)), .fetched), promotes: result)
      #expect((state.problems.storage == nil) == (code == .corrupt && result == .done([])))
      #expect(state.health.isLiveDamaged == (result == .busy))
    }
  }

  @Test("the highest accepted version is read from its own file, even if the data of the source cannot be read")
  func floorOfUnreadImages() {
    var state = sourceState()
    let found = FoundFiles(
      ledger: sourceLedger(7), readGeneration: 7, newest: nil, isNewestStaged: false,
      health: FilesHealth(isUnread: true),
      problem: storageProblem, start: LiveData(facts(0), .none))
    _ = run(&state, .found(found, reader: .look))
    #expect(state.ledger.floor == 7000)
  }

  @Test(
    "an unreadable file is read again later; if its data is newer, a pending activation of older data is not stored")
  func unreadFile() {
    var state = sourceState(staged: facts(2), .manual, health: FilesHealth(isUnread: true))
    _ = run(&state, .activate(ArrivingImage(facts(2)), .fetched), promotes: .busy)
    #expect(state.handle(.lookDue).work == [.readFiles(.look)])
    let found = FoundFiles(
      ledger: sourceLedger(5), readGeneration: 0, newest: facts(5), isNewestStaged: false, health: FilesHealth(),
      problem: nil, start: LiveData(facts(0), .none))
    _ = run(&state, .found(found, reader: .look))
    #expect(state.newest == facts(5))
    #expect(state.promotion == nil)
    #expect(state.handle(.lookDue).work.isEmpty)
  }

  @Test("if the generation number of a source is lost, it continues from the number in the stored data")
  func lostLedger() {
    var state = sourceState(live: facts(6), origin: .packaged, ledger: SourceLedger())
    let found = FoundFiles(
      ledger: sourceLedger(5), readGeneration: 0, newest: facts(5), isNewestStaged: false, health: FilesHealth(),
      problem: nil, start: LiveData(facts(0), .none))
    state.ledger.floor = 6000
    _ = run(&state, .found(found, reader: .look))
    #expect(state.live.image == facts(6))
    #expect(state.ledger.generation == 5)
  }

  @Test("if another process has stored newer data, that data is used and an event is sent")
  func adopted() {
    var state = sourceState()
    #expect(state.handle(.sawLedger(sourceLedger(3), reader: .look)).work == [.readFiles(.look)])
    let step = run(&state, outsideInputs.first { $0.name == "found newer files" }!.input)
    #expect(state.live.image == facts(3))
    #expect(step.notices == [.event(.adopted, .none, nil)])
  }

  @Test("a refresh that waited for another process has the outcome UPDATED if that process stored newer data")
  func waited() {
    var state = sourceState()
    let step = run(&state, outsideInputs.first { $0.name == "found newer files for a refresh" }!.input)
    #expect(step.notices == [.decide(.updated, nil), .event(.refreshed, .updated, nil)])
  }

  @Test("stored data that is older than the highest accepted version is not used if the source has no data")
  func floor() {
    var state = sourceState(live: facts(0), origin: .none, ledger: sourceLedger(1, floor: 5000))
    _ = run(&state, outsideInputs.first { $0.name == "found newer files" }!.input)
    #expect(state.live.origin == .none)
    #expect(state.ledger.generation == 3)
  }

  @Test("stored data below the highest accepted version is used if the current data is even older")
  func newerBelowTheFloor() {
    var state = sourceState(ledger: sourceLedger(1, floor: 5000))
    _ = run(&state, outsideInputs.first { $0.name == "found newer files" }!.input)
    #expect(state.live.image == facts(3))
  }

  @Test(
    "a reset by another process takes effect at once, even if fetched data waits for activation",
    arguments: [ActivationMode.immediate, .manual])
  func followedReset(_ activation: ActivationMode) {
    var state = sourceState(staged: activation == .manual ? facts(2) : nil, activation, ledger: sourceLedger(2))
    let step = run(&state, outsideInputs.first { $0.name == "found a reset" }!.input)
    #expect(state.live.origin == .none && state.staged == nil)
    #expect(state.ledger.epoch == 1)
    #expect(step.notices == [.event(.reset, .none, nil)])
  }

  @Test("with manual activation, data that another process fetched after it had reset the source waits for activation")
  func resetAndNext() {
    var state = sourceState(.manual)
    let found = outsideInputs.first { $0.name == "found a reset and what followed" }!.input
    let step = run(&state, found)
    #expect(state.live.origin == .none)
    #expect(step.work.last == .readFiles(.look))
    _ = run(&state, found)
    #expect(state.staged == facts(4, epoch: 1) && state.live.origin == .none)
  }
}
