// SPDX-License-Identifier: Apache-2.0
//
// Callers' side of a refresh: tickets that join a run, wait for it, or give it up.

extension Source {
  /// Refreshes and waits for the end, or for the caller's own limit: 0 asks nothing, -1 is none.
  package func refresh(timeoutMs: Int64) -> RefreshResult {
    lock.withLock {
      do throws(RemoraError) {
        try requireOpen()
        guard timeoutMs != 0 else { return RefreshResult(.timeout(afterMs: 0)) }
        let deadline = timeoutMs < 0 ? nil : monotonicMs().addingClamped(timeoutMs)
        let ticket = try join(Ticket())
        while true {
          if let result = ticket.result { return result }
          let isInTime = lock.wait(untilMonotonicMs: deadline)
          if !isInTime, ticket.result == nil {
            withdraw(ticket)
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
    try lock.withLock { () throws(RemoraError) in
      try requireOpen()
      try client.delivery.startIfNeeded()
      return try join(Ticket(owner: owner.map { ObjectIdentifier($0) }, completion: completion), isForced: isForced)
    }
  }

  /// Gives up an asynchronous refresh that has not ended.
  package func cancel(_ ticket: Ticket) {
    lock.withLock {
      guard withdraw(ticket) else { return }
      finish(ticket, RefreshResult(RemoraError(.cancelled, "the refresh was cancelled")))
    }
  }

  // MARK: Inside the lock

  /// Begins a refresh that nobody waits for; one that cannot begin has its outcome all the same.
  func fetchUnasked() {
    do throws(RemoraError) {
      try join(Ticket())
    } catch {
      lastError = error
      notify(Event(.refreshed, .failed, old: live, new: live, error: error, storageError: storageError))
    }
  }

  /// Adds a ticket to a run that has not ended, or begins one. A forced refresh neither joins nor is joined, and does
  /// not wait for the answer to another.
  @discardableResult
  func join(
    _ ticket: Ticket, isForced: Bool = false, announced: Announcement = Announcement()
  ) throws(RemoraError) -> Ticket {
    _ = try dialect.requireServer()
    try runtime.loadLibraries()
    try runtime.startWorker()
    // A run that is over stays in the list until the worker has let its files go: nobody is told its end any more.
    if !isForced, let run = runs.first(where: { !$0.isOver && !$0.isAnswered && !$0.isForced }) {
      run.tickets.append(ticket)
      return ticket
    }
    let run = Run(isForced: isForced, announced: announced, attemptBeforeMs: ledger.lastAttemptMs)
    run.tickets.append(ticket)
    runs.append(run)
    beginRuns()
    return ticket
  }

  /// Takes a ticket out of its run; the run ends with its last one. Returns whether it was still waiting.
  @discardableResult
  func withdraw(_ ticket: Ticket) -> Bool {
    guard let run = runs.first(where: { $0.tickets.contains { $0 === ticket } }) else { return false }
    run.tickets.removeAll { $0 === ticket }
    if run.tickets.isEmpty { stop(run) }
    return true
  }

  /// What a ticket's run came to, from the moment that this can be seen.
  func result(of ticket: Ticket) -> RefreshResult? {
    runs.first { $0.tickets.contains { $0 === ticket } }?.result
  }

  /// Gives up what a handle asked for without waiting: nobody is told its end. What that held is in the result.
  func withdraw(allOf owner: ObjectIdentifier) -> [Any] {
    let tickets = runs.flatMap(\.tickets).filter { $0.owner == owner }
    let dropped = tickets.map { $0.completion as Any }
    for ticket in tickets {
      ticket.completion = nil
      withdraw(ticket)
    }
    return dropped + client.withdrawAttachments(of: owner) + client.delivery.endCalls(for: owner)
  }

  /// Ends a run without an outcome.
  private func stop(_ run: Run) {
    run.isOver = true
    if let transfer = run.transfer { client.transport.cancel(transfer) }
    runtime.worker.enqueue { [self] in
      run.path = nil
      letGoOfFiles(run)
      lock.withLock {
        runs.removeAll { $0 === run }
        beginRuns()
      }
    }
  }

  /// Ends all runs, with an error for those who wait unless the outcome is there. What they held is in the result, to
  /// be let go outside.
  func endRuns(_ error: RemoraError) -> [Any] {
    let dropped = runs
    for run in runs where !run.isOver {
      let tickets = run.tickets
      run.tickets = []
      // First: who is told may ask for more.
      stop(run)
      for ticket in tickets { finish(ticket, run.result ?? RefreshResult(error)) }
    }
    return dropped
  }

  /// Tells a ticket its end.
  func finish(_ ticket: Ticket, _ result: RefreshResult) {
    if let continuation = ticket.continuation {
      ticket.continuation = nil
      continuation(result)
    } else if let completion = ticket.completion {
      ticket.completion = nil
      client.delivery.enqueue(for: ticket.owner) { completion(result) }
    } else {
      ticket.result = result
      lock.broadcast()
    }
  }

  /// Hands the first run and every forced one to the worker, once.
  func beginRuns() {
    guard !isEnded else { return }
    for (index, run) in runs.enumerated() where !run.isOver && !run.hasBegun && (index == 0 || run.isForced) {
      run.hasBegun = true
      runtime.worker.enqueue { [self] in begin(run) }
    }
  }

  /// Ends the runs that were asked for before `run`, whose answer is newer than theirs can be. Returns their tickets.
  func endRuns(before run: Run) -> [Ticket] {
    var tickets: [Ticket] = []
    for earlier in runs.prefix(while: { $0 !== run }) where !earlier.isOver {
      tickets += earlier.tickets
      earlier.tickets = []
      stop(earlier)
    }
    return tickets
  }
}
