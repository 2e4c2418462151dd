// SPDX-License-Identifier: Apache-2.0
//
// Activates staged images, and freezes the live data for a host.

struct SourceActivation: SourcePart, Sendable {
  let publisher: SourcePublisher

  var core: SourceCore { publisher.core }

  /// Makes the staged image live, in this process and for later openings of the source.
  ///
  /// - Parameter judged: The snapshot that the host has judged; nil means any that is staged.
  /// - Returns: `.updated`; `.unchanged` if `judged` is live, or no image is staged.
  /// - Throws: `.notFound` if `judged` is neither staged nor live; `.invalidArgument` if it is of another source;
  ///   `.closed`.
  func activate(_ judged: Snapshot?) throws(RemoraError) -> Outcome {
    try runtime.worker.perform { exclusive throws(RemoraError) in
      try core.requireOpen()
      let (live, staged) = (live(exclusive), staged(exclusive))
      if let judged, staged.map({ !judged.isSameVersion(as: $0) }) ?? true {
        try core.requireOwn(judged)
        guard judged.isSameVersion(as: live) else {
          throw RemoraError(.notFound, "the snapshot is neither staged nor live any more")
        }
        return .unchanged
      }
      guard let staged else { return .unchanged }
      let arrival = ArrivingImage(
        ImageFacts(staged.base), experiments: dialect.newExperiments(in: staged.base, since: live.base),
        removedKeys: dialect.updates.removedKeys(in: staged.base, after: live.base))
      publisher.carryOut(.activate(arrival, dialect.updates == .keepUnlisted ? .fetched : staged.origin), exclusive)
      // If the files are busy, the engine thread retries the promotion.
      if known.promotion != nil { retryPromotion() }
      return .updated
    }
  }

  private func retryPromotion() {
    do throws(RemoraError) {
      try lock.withLock { locked throws(RemoraError) in try runtime.startWorker(locked) }
    } catch {
      note(.warning, "\(error.message); the activation is not stored: open the source again, and activate it again")
    }
  }

  /// Stops events and activations in this client: subscribers receive no more events, and fetched data is stored but
  /// does not become live. When this returns, no event callback is running, unless the caller is inside a callback.
  ///
  /// - Throws: `.closed`.
  func freeze() throws(RemoraError) {
    let (subscriptions, dropped) = try runtime.worker.perform { _ throws(RemoraError) in
      try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        services.state.with(locked) { _ = $0.muted.insert(name) }
        _ = core.apply(.mute, locked)
        let subscriptions = core.subscribers.all(locked)
        return (subscriptions, subscriptions.flatMap { services.delivery.drop(of: $0, locked) })
      }
    }
    withExtendedLifetime(dropped) {}
    // After the job, because a callback may be waiting for the engine thread.
    lock.withLock { core.subscribers.waitForCallbacks(of: subscriptions, $0) }
  }
}

extension Snapshot {
  /// Whether both are views of the same data, whatever overrides and filters apply to them.
  fileprivate func isSameVersion(as other: Snapshot) -> Bool {
    base.checksum == other.base.checksum && base.metadata.identity == other.base.metadata.identity
  }
}
