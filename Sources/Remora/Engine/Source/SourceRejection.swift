// SPDX-License-Identifier: Apache-2.0
//
// Rejects fetched data for a host that found it to be bad: it is replaced by what an opening would choose without it,
// and not accepted again.

struct SourceRejection: SourcePart, Sendable {
  let publisher: SourcePublisher
  let adoption: Adoption

  var core: SourceCore { publisher.core }

  /// Rejects the live or the staged data. Does nothing if it is not in use, because any process has rejected it. It
  /// takes effect at once, and is stored when this returns, unless the files stay locked or have a problem.
  ///
  /// - Parameters:
  ///   - judged: The snapshot that the host has judged.
  ///   - reason: The reason, for the log.
  ///   - limit: How long to wait while another client or process holds the files' lock. It is stored later then, if
  ///     this process continues.
  /// - Throws: `.notFound` if `judged` is neither live nor staged any more, or was not fetched; `.invalidArgument` if
  ///   it is of another source; `.closed`.
  func reject(_ judged: Snapshot, reason: String?, withinMs limit: Int64) throws(RemoraError) {
    try runtime.worker.perform { exclusive throws(RemoraError) in
      try core.requireOpen()
      try core.requireOwn(judged)
      // Another process may have rejected it, or replaced it.
      adoption.adopt(exclusive)
      let hasContent = { [dialect] (image: Image) in image.hasContent(of: judged.base, by: dialect.versions) }
      // A rejected version is still in use if the file that names it could not be read.
      let isUsed = [live(exclusive), staged(exclusive)].compactMap(\.self).contains { hasContent($0.base) }
      if !isUsed, core.snapshots[exclusive].rejected.contains(where: hasContent) { return }
      try requireRejectable(judged, exclusive)
      publisher.reject(judged.base, exclusive)
      let (version, rest) = (judged.base.metadata.version, live(exclusive))
      let left = rest.origin == .none ? "there is no other data" : "version \(rest.base.metadata.version) is in use"
      note(.warning, "the host has rejected version \(version)\(reason.map { ": \($0)" } ?? ""); \(left)")
      if isPending { retryStoring() }
    }
    waitUntilStored(forMs: limit)
  }

  private var isPending: Bool { known.rejected?.isDue == true }

  /// Whether the rejection waits for another process that holds the files' lock.
  private var isBlocked: Bool { runtime.worker.perform { publisher.files.isRejectionBlocked[$0] } }

  /// Waits for the files: the host may be a health check that ends right after the rejection.
  private func waitUntilStored(forMs limit: Int64) {
    let deadline = lock.monotonicMs + limit
    while isPending, isBlocked, lock.withLock({ isOpen($0) }), lock.monotonicMs < deadline {
      _ = lock.withLock { lock.wait(untilMonotonicMs: lock.monotonicMs + 5, $0) }
      runtime.worker.perform { exclusive in publisher.carryOut(.rejectionDue, exclusive) }
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
