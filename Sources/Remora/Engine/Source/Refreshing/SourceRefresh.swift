// SPDX-License-Identifier: Apache-2.0
//
// Callers' side of a refresh: tickets that join a run, wait for it, or give it up.

extension Source {
  /// Refreshes and waits for the end, or for the caller's own limit: 0 asks nothing, -1 is none.
  package func refresh(timeoutMs: Int64) -> RefreshResult {
    lock.withLock { locked in
      do throws(RemoraError) {
        try requireOpen(locked)
        guard timeoutMs != 0 else { return RefreshResult(.timeout(afterMs: 0)) }
        let deadline = timeoutMs < 0 ? nil : monotonicMs().addingClamped(timeoutMs)
        let ticket = try join(Ticket(), locked)
        while true {
          if let result = ticket.state.read(locked, \.result) { return result }
          let isInTime = lock.wait(untilMonotonicMs: deadline, locked)
          if !isInTime, ticket.state.read(locked, \.result) == nil {
            withdraw(ticket, locked)
            return RefreshResult(.timeout(afterMs: timeoutMs))
          }
        }
      } catch {
        return RefreshResult(error)
      }
    }
  }

  /// Refreshes; `completion` is called once on the delivery thread, unless the client or the handle is closed before.
  package func refreshAsync(
    isForced: Bool, on owner: OpenSource? = nil, completion: @escaping @Sendable (RefreshResult) -> Void
  ) throws(RemoraError) -> Ticket {
    try lock.withLock { locked throws(RemoraError) in
      try requireOpen(locked)
      try client.delivery.startIfNeeded(locked)
      let ticket = Ticket(owner: owner.map { ObjectIdentifier($0) }, completion: completion)
      return try join(ticket, isForced: isForced, locked)
    }
  }

  /// Gives up an asynchronous refresh that has not ended.
  package func cancel(_ ticket: Ticket) {
    lock.withLock { locked in
      guard withdraw(ticket, locked) else { return }
      finish(ticket, RefreshResult(RemoraError(.cancelled, "the refresh was cancelled")), locked)
    }
  }

  /// Begins a refresh that nobody waits for; one that cannot begin has its outcome all the same.
  func fetchUnasked(_ locked: borrowing Locked) {
    do throws(RemoraError) {
      try join(Ticket(), locked)
    } catch {
      _ = take(.failed(error, .failed, isAttempt: false), locked)
    }
  }

  /// Adds a ticket to a run that has not ended, or begins one. A forced refresh neither joins nor is joined, and does
  /// not wait for the answer to another.
  @discardableResult
  func join(
    _ ticket: Ticket, isForced: Bool = false, announced: Announcement = Announcement(), _ locked: borrowing Locked
  ) throws(RemoraError) -> Ticket {
    _ = try dialect.requireServer()
    try runtime.loadLibraries(locked)
    try runtime.startWorker(locked)
    // A run that is over stays in the list until the worker has let its files go: nobody is told its end any more.
    let isJoinable = { (run: Run, locked: borrowing Locked) in
      run.state.with(locked) { !$0.isOver && !$0.isAnswered && !run.isForced }
    }
    if !isForced, let run = state.read(locked, \.runs).first(where: { isJoinable($0, locked) }) {
      run.state.with(locked) { $0.tickets.append(ticket) }
      return ticket
    }
    let attemptBeforeMs = state.read(locked, \.data.ledger.lastAttemptMs)
    let run = Run(isForced: isForced, announced: announced, attemptBeforeMs: attemptBeforeMs)
    run.state.with(locked) { $0.tickets.append(ticket) }
    state.with(locked) { $0.runs.append(run) }
    beginRuns(locked)
    return ticket
  }

  /// Takes a ticket out of its run; the run ends with its last one. Returns whether it was still waiting.
  @discardableResult
  func withdraw(_ ticket: Ticket, _ locked: borrowing Locked) -> Bool {
    guard let run = run(of: ticket, locked) else { return false }
    let isLast = run.state.with(locked) { state in
      state.tickets.removeAll { $0 === ticket }
      return state.tickets.isEmpty
    }
    if isLast { stop(run, locked) }
    return true
  }

  /// What a ticket's run came to, from the moment that this can be seen.
  func result(of ticket: Ticket, _ locked: borrowing Locked) -> RefreshResult? {
    run(of: ticket, locked)?.state.read(locked, \.result)
  }

  private func run(of ticket: Ticket, _ locked: borrowing Locked) -> Run? {
    state.read(locked, \.runs).first { $0.state.read(locked, \.tickets).contains { $0 === ticket } }
  }

  /// Gives up what a handle asked for without waiting: nobody is told its end. What that held is in the result.
  func withdraw(allOf owner: ObjectIdentifier, _ locked: borrowing Locked) -> [Any] {
    let tickets = state.read(locked, \.runs).flatMap { $0.state.read(locked, \.tickets) }.filter { $0.owner == owner }
    let dropped = tickets.map { $0.state.set(locked, \.completion, to: nil) as Any }
    for ticket in tickets { withdraw(ticket, locked) }
    return dropped + client.withdrawAttachments(of: owner, locked) + client.delivery.endCalls(for: owner, locked)
  }

  /// Ends a run without an outcome.
  private func stop(_ run: Run, _ locked: borrowing Locked) {
    run.state.set(locked, \.isOver, to: true)
    if let transfer = run.state.read(locked, \.transfer) { client.transport.cancel(transfer) }
    runtime.worker.enqueue(locked) { [self] right in
      run.work.set(right, \.path, to: nil)
      releaseFiles(of: run, right)
      lock.withLock { locked in
        state.with(locked) { $0.runs.removeAll { $0 === run } }
        beginRuns(locked)
      }
    }
  }

  /// Ends all runs, with an error for those who wait unless the outcome is there. Returns what they
  /// held, to be released after unlocking.
  func endRuns(_ error: RemoraError, _ locked: borrowing Locked) -> [Any] {
    let runs = state.read(locked, \.runs)
    for run in runs where !run.state.read(locked, \.isOver) {
      let tickets = run.state.set(locked, \.tickets, to: [])
      // First: who is told may ask for more.
      stop(run, locked)
      let result = run.state.read(locked, \.result) ?? RefreshResult(error)
      for ticket in tickets { finish(ticket, result, locked) }
    }
    return runs
  }

  /// Tells a ticket its end.
  func finish(_ ticket: Ticket, _ result: RefreshResult, _ locked: borrowing Locked) {
    if let continuation = ticket.state.set(locked, \.continuation, to: nil) {
      continuation(result, locked)
    } else if let completion = ticket.state.set(locked, \.completion, to: nil) {
      client.delivery.enqueue(for: ticket.owner, locked) { completion(result) }
    } else {
      ticket.state.set(locked, \.result, to: result)
      lock.broadcast()
    }
  }

  /// Hands the first run and every forced one to the worker, once.
  func beginRuns(_ locked: borrowing Locked) {
    guard !state.read(locked, \.openness.isEnded) else { return }
    for (index, run) in state.read(locked, \.runs).enumerated() where index == 0 || run.isForced {
      let begins = run.state.with(locked) { state in
        defer { state.hasBegun = true }
        return !state.isOver && !state.hasBegun
      }
      if begins { runtime.worker.enqueue(locked) { [self] in begin(run, $0) } }
    }
  }

  /// Ends the runs that were asked for before `run`, whose answer is newer than theirs can be. Returns their tickets.
  func endRuns(before run: Run, _ locked: borrowing Locked) -> [Ticket] {
    var tickets: [Ticket] = []
    for earlier in state.read(locked, \.runs).prefix(while: { $0 !== run }) where !earlier.state.read(locked, \.isOver)
    {
      tickets += earlier.state.set(locked, \.tickets, to: [])
      stop(earlier, locked)
    }
    return tickets
  }
}
