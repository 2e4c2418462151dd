// SPDX-License-Identifier: Apache-2.0
//
// The shell around the state of a source: it takes inputs to the state, and does the work that follows, in order. It alone
// changes what is live.

extension Source {
  /// Handles an input and does the work that follows.
  ///
  /// - Returns: What a refresh or an adoption came to, if it became visible.
  @discardableResult
  func handle(_ input: SourceInput, _ right: borrowing Exclusive) -> Outcome? {
    var outcome: Outcome?
    let run = desk.read(right, \.run)
    for work in lock.withLock({ take(input, for: run, $0) }) { outcome = perform(work, right) ?? outcome }
    return outcome
  }

  /// Handles an input for a refresh, whose files it uses and whose result it may settle.
  @discardableResult
  func handle(_ input: SourceInput, for run: Run?, _ right: borrowing Exclusive) -> Outcome? {
    desk.set(right, \.run, to: run)
    // An image that was not published must not stay mapped.
    defer { desk.with(right) { ($0.run, $0.arriving) = (nil, nil) } }
    return handle(input, right)
  }

  /// Changes the state, with its effects in memory.
  ///
  /// - Parameters:
  ///   - old: What was live before; nil if that has not changed.
  ///   - run: The refresh whose result may be settled.
  /// - Returns: The work that follows.
  func take(
    _ input: SourceInput, since old: Snapshot? = nil, for run: Run? = nil, _ locked: borrowing Locked
  ) -> [SourceWork] {
    let step = state.with(locked) { $0.data.handle(input) }
    for notice in step.notices {
      switch notice {
      case .settle(let outcome, let error): run?.waiters.decide(RefreshResult(outcome, error), locked)
      case .event(let cause, let outcome, let error):
        let live = live(locked)
        let problem = state.read(locked, \.data.problems.storage)
        notify(Event(cause, outcome, old: old ?? live, new: live, error: error, storageError: problem), locked)
      }
    }
    return step.work
  }

  private func perform(_ work: SourceWork, _ right: borrowing Exclusive) -> Outcome? {
    switch work {
    case .endStoredOverrides(let keys): endStoredOverrides(keys, right)
    case .store(.arriving, let slot): handle(storeArriving(as: slot, right), right)
    case .store(.newest, let slot): handle(storeNewest(as: slot, right), right)
    case .promote: handle(.promoted(promote(right)), right)
    case .readFiles(let reader): return handle(.found(readFiles(right), reader: reader), right)
    case .compose(let how): desk.set(right, \.candidate, to: compose(how, right))
    case .writeLedger: writeLedger(right)
    case .storeOverrides: storeOverrides(patienceMs: 0)
    case .publish: return publish(right)
    }
    return nil
  }

  /// Makes the publication visible: for readers first, and then for everybody who takes the lock.
  private func publish(_ right: borrowing Exclusive) -> Outcome? {
    guard let now = known.publication else { return nil }
    let (candidate, run) = desk.with(right) { desk in
      defer { (desk.candidate, desk.arriving) = (nil, nil) }
      if now.target != .confirmation { desk.firstRequest = nil }
      return (desk.candidate, desk.run)
    }
    let goesLive = now.target.isLive(isStaged: staged(right) != nil)
    if goesLive, let candidate { cell.publish(candidate) }
    let replaced = lock.withLock { locked in
      let replaced = snapshots.change(right, locked) { shown in
        let replaced = (live: shown.live, staged: shown.staged)
        if now.clearsStaged { shown.staged = nil }
        if let candidate {
          if goesLive { shown.live = candidate } else { shown.staged = candidate }
        }
        return replaced
      }
      _ = take(.published, since: replaced.live, for: run, locked)
      return replaced
    }
    withExtendedLifetime(replaced) {}
    return now.cause == .refreshed || now.cause == .adopted ? now.outcome : nil
  }

  /// Remembers and logs a failure of the storage.
  func noteStorage(_ error: RemoraError, _ consequence: StaticString = "the settings in memory are not affected") {
    note(.warning, "\(error.message); \(consequence)")
    lock.withLock { _ = take(.storageFailed(error), $0) }
  }
}

extension Publication.Target {
  /// Whether it changes what is live, beside something that is staged or nothing.
  fileprivate func isLive(isStaged: Bool) -> Bool {
    switch self {
    case .live: true
    case .staged: false
    case .confirmation: !isStaged
    }
  }
}
