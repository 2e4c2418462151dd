// SPDX-License-Identifier: Apache-2.0
//
// Rejects fetched data for a host that found it to be bad: it is replaced by what an opening would choose without it,
// and not accepted again.

struct SourceRejection: SourcePart, Sendable {
  let publisher: SourcePublisher
  let adoption: Adoption

  var core: SourceCore { publisher.core }

  /// Rejects the live or the staged data. Does nothing if the same data was rejected last, by any process.
  ///
  /// - Parameters:
  ///   - judged: The snapshot that the host has judged.
  ///   - reason: The reason, for the log.
  /// - Throws: `.notFound` if `judged` is neither live nor staged any more, or was not fetched; `.invalidArgument` if it
  ///   is of another source; `.closed`.
  func reject(_ judged: Snapshot, reason: String?) throws(RemoraError) {
    try runtime.worker.perform { exclusive throws(RemoraError) in
      try core.requireOpen()
      try core.requireOwn(judged)
      // Another process may have rejected it, or replaced it.
      adoption.adopt(exclusive)
      let rejected = core.snapshots[exclusive].rejected
      if rejected.contains(where: { $0.hasContent(of: judged.base, by: dialect.versions) }) { return }
      try requireRejectable(judged, exclusive)
      publisher.reject(judged.base, exclusive)
      let (version, rest) = (judged.base.metadata.version, live(exclusive))
      let left = rest.origin == .none ? "there is no other data" : "version \(rest.base.metadata.version) is in use"
      note(.warning, "the host has rejected version \(version)\(reason.map { ": \($0)" } ?? ""); \(left)")
      if known.rejected?.isDue == true { retryStoring() }
    }
  }

  private func requireRejectable(_ judged: Snapshot, _ exclusive: Exclusive) throws(RemoraError) {
    if staged(exclusive)?.base.checksum == judged.base.checksum { return }
    let live = live(exclusive)
    guard live.base.checksum == judged.base.checksum else {
      throw RemoraError(.notFound, "the snapshot is neither live nor staged any more")
    }
    guard live.origin == .fetched || live.origin == .cached else {
      throw RemoraError(.notFound, "the snapshot has no fetched data; other data cannot be rejected")
    }
  }

  private func retryStoring() {
    do throws(RemoraError) {
      try lock.withLock { locked throws(RemoraError) in try runtime.startWorker(locked) }
    } catch {
      note(
        .warning, "\(error.message); the rejection is not stored: other processes, and later ones, do not know of it")
    }
  }
}
