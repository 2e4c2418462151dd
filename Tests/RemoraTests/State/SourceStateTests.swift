// SPDX-License-Identifier: Apache-2.0
//
// The state of a source's data: each transition that matters by itself, and rules that hold for every state and input.

import Testing

@testable import Remora

@Suite("State machine of a source")
struct SourceStateTests {
  /// Drives a state to the end of an input, with a storage that does what it is asked.
  func run(
    _ state: inout SourceState, _ input: SourceInput, stores: Bool = true, promotes: PromotionResult = .done([]),
    problem: RemoraError? = nil
  ) -> (work: [SourceWork], notices: [SourceNotice]) {
    let step = state.handle(input)
    var (work, notices) = (step.work, step.notices)
    for item in step.work {
      var answer: SourceInput?
      if case .store = item, !stores, let problem { _ = state.handle(.storageFailed(problem)) }
      switch item {
      case .store where !stores: answer = .notStored(isBusy: false)
      case .store(.arriving, let slot): answer = state.publication.map { .stored($0.image, slot) }
      case .store(.newest, let slot): answer = state.newest.map { .stored($0, slot) }
      case .promote: answer = .promoted(promotes)
      case .publish: answer = .published
      case .storeRejection:
        answer =
          stores ? .rejectionStored(state.rejected?.image, seen: state.ledger, stored: state.ledger) : nil
      case .endStoredOverrides, .readFiles, .compose, .writeLedger, .storeOverrides: break
      }
      guard let answer else { continue }
      let next = run(&state, answer, stores: stores, promotes: promotes, problem: problem)
      work += next.work
      notices += next.notices
    }
    return (work, notices)
  }

  let freshness = ResponseLifetime(nowMs: 50_000, maxAge: 60, tag: EntityTag("\"a\"", url: 9))

  // MARK: Refreshes

  @Test(
    "new data is stored, then readable, and then reported in an event")
  func order() {
    var state = sourceState()
    let step = run(&state, .compiled(ArrivingImage(facts(2), removedKeys: [[1]]), freshness))
    #expect(
      step.work == [
        .endStoredOverrides([[1]]), .store(.arriving, .live), .writeLedger, .compose(.arrivingLive), .storeOverrides,
        .publish,
      ])
    #expect(step.notices == [.decide(.updated, nil), .event(.refreshed, .updated, nil)])
    #expect(state.live == LiveData(facts(2), .fetched))
    #expect(state.ledger.generation == 2 && state.ledger.floor == 2000 && state.ledger.etagImage == facts(2).checksum)
  }

  @Test("the state of a source does not change before the new snapshot is readable", arguments: 0..<5)
  func notBefore(_ done: Int) {
    var state = sourceState()
    let before = state
    let work = state.handle(.compiled(ArrivingImage(facts(2)), freshness)).work
    for item in work.prefix(done) {
      if case .store(_, let slot) = item { _ = state.handle(.stored(facts(2), slot)) }
    }
    #expect(state.live == before.live && state.staged == before.staged)
    #expect(state.ledger.floor == before.ledger.floor)
  }

  @Test("when the server confirms cached data, its origin becomes FETCHED and the event has the outcome UNCHANGED")
  func confirmed() {
    var state = sourceState()
    let step = run(&state, .confirmed(ArrivingImage(facts(1)), freshness))
    #expect(state.live == LiveData(facts(1), .fetched))
    #expect(step.notices == [.decide(.unchanged, nil), .event(.refreshed, .unchanged, nil)])
    #expect(state.ledger.lastSuccessMs == 50_000 && state.ledger.freshUntilMs == 110_000)
  }

  @Test("a failed refresh changes nothing except the number of failures")
  func failed() {
    var state = sourceState()
    let error = RemoraError(.network, "no route")
    let step = run(&state, .failed(error, .failed, isAttempt: true))
    #expect(step.notices == [.decide(.failed, error), .event(.refreshed, .failed, error)])
    #expect(state.ledger.failures == 1)
    _ = run(&state, .failed(error, .failed, isAttempt: false))
    #expect(state.ledger.failures == 1)
    #expect(state.live == LiveData(facts(1), .cached))
  }

  // MARK: Activation

  @Test("with manual activation, new data waits for activation and deletes no overrides")
  func staged() {
    var state = sourceState(.manual)
    let step = run(&state, .compiled(ArrivingImage(facts(2), removedKeys: [[1]]), freshness))
    #expect(step.work.prefix(3) == [.store(.arriving, .staged), .writeLedger, .compose(.arrivingStaged)])
    #expect(step.notices == [.decide(.staged, nil), .event(.refreshed, .staged, nil)])
    #expect(state.staged == facts(2) && state.live.image == facts(1))
  }

  @Test("data can be activated while another process holds the lock; this deletes the overrides of removed keys")
  func activated() {
    var state = sourceState(staged: facts(2), .manual, ledger: sourceLedger(2))
    let step = run(&state, .activate(ArrivingImage(facts(2), removedKeys: [[1]]), .fetched), promotes: .busy)
    #expect(step.work == [.endStoredOverrides([[1]]), .promote, .compose(.stagedLive), .publish, .storeOverrides])
    #expect(step.notices == [.event(.activated, .none, nil)])
    #expect(state.live.image == facts(2) && state.staged == nil)
    #expect(state.promotion?.image == facts(2))
    _ = run(&state, .promotionDue)
    #expect(state.promotion == nil)
  }

  // MARK: Experiments

  @Test("experiments are reported once, by the process whose activation of the data is stored")
  func announcedOnce() {
    let experiment = ExperimentID(name: [1], variant: [2])
    for result in [PromotionResult.done([experiment]), .failed, .doneByOthers, .busy] {
      var state = sourceState(live: facts(2), ledger: sourceLedger(2)) {
        $0.promotion = PendingPromotion(ArrivingImage(facts(2), experiments: [experiment]))
      }
      _ = run(&state, .promotionDue, promotes: result)
      let isAnnouncedHere = result == .done([experiment]) || result == .failed
      #expect(state.pendingExperiments.take() == (isAnnouncedHere ? [experiment] : []), "\(result)")
      #expect(state.pendingExperiments.take().isEmpty)
      #expect((state.promotion != nil) == (result == .busy))
    }
  }

  // MARK: Every state, every input

  @Test("after any event in any state, all new data is readable, and only a reset lowers the highest accepted version")
  func everything() {
    for (stateName, before) in namedStates {
      for (inputName, input) in outsideInputs {
        for stores in [true, false] {
          var after = before
          _ = run(&after, input, stores: stores)
          let name = Comment(rawValue: "\(inputName) in \(stateName)\(stores ? "" : ", nothing can be stored")")
          #expect(after.publication == nil, name)
          if after.ledger.epoch == before.ledger.epoch {
            #expect(after.ledger.floor >= before.ledger.floor, name)
            let isRejection = after.rejected?.image.checksum == before.live.image.checksum
            #expect(isForward(after.live, before) || !isBelowFloor(after.live, before) || isRejection, name)
          }
          if let staged = after.staged { #expect(staged.stamp >= after.live.image.stamp, name) }
        }
      }
    }
  }

  @Test("after any event in any state, a version is published once, after it was stored, promoted and composed")
  func publishedLast() {
    for (stateName, before) in namedStates {
      for (inputName, input) in outsideInputs {
        var after = before
        let work = after.handle(input).work
        let isTooLate = work.drop { $0 != .publish }.dropFirst().contains { late in
          switch late {
          case .store, .promote, .compose, .publish: true
          case .endStoredOverrides, .storeRejection, .readFiles, .writeLedger, .storeOverrides: false
          }
        }
        #expect(!isTooLate, "\(inputName) in \(stateName)")
      }
    }
  }

  func isForward(_ live: LiveData, _ before: SourceState) -> Bool {
    live.image == before.live.image
      || live.image.stamp > before.live.image.stamp && live.image.version > before.live.image.version
  }

  func isBelowFloor(_ live: LiveData, _ before: SourceState) -> Bool {
    live.origin.rawValue >= Origin.cached.rawValue
      && before.versions.isBelow(live.image.version, floor: before.ledger.floor)
  }

  @Test("after freeze, nothing except a reset or a rejection changes the data that reads return")
  func muted() {
    let moving = inputs("reset", "found a reset", "found a reset and what followed", "reject", "found a rejection")
    for (stateName, before) in namedStates where before.isMuted {
      for (inputName, input) in outsideInputs where !moving.contains(where: { $0.name == inputName }) {
        var after = before
        _ = run(&after, input)
        #expect(after.live.image == before.live.image, "\(inputName) in \(stateName)")
      }
    }
  }

  @Test("failures, older data and storage results do not change the data that reads return")
  func unmoved() {
    let kept = inputs(
      "attempted", "offered a version that is not newer", "failed", "refused", "saw an attempt",
      "found nothing usable", "another directory", "mute", "storage failed", "storage works", "may promote")
    for (stateName, before) in namedStates {
      for (inputName, input) in kept {
        var after = before
        _ = run(&after, input)
        #expect(after.live == before.live && after.staged == before.staged, "\(inputName) in \(stateName)")
      }
    }
  }
}

/// Returns the inputs with these names, each of which must exist.
private func inputs(_ names: String...) -> [(name: String, input: SourceInput)] {
  names.compactMap { name in
    let found = outsideInputs.first { $0.name == name }
    #expect(found != nil, "no input is named \(name)")
    return found
  }
}
