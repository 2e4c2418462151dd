// SPDX-License-Identifier: Apache-2.0
//
// A client's part in the life of the process: once a second, when the worker starts, at exit and at a fork.

extension Client {
  func look() {
    followStorage()
    sweepIfDue()
    for source in runtime.lock.withLock({ openSources }) {
      source.settlePromotion()
      source.rereadOverrides()
      source.settleEndedOverrides()
      source.adoptIfNewer()
      source.refreshIfDue()
    }
  }

  // MARK: Inside the lock

  func noteWorkerStart() throws(RemoraError) {
    for source in openSources { source.noteAttendance(true) }
    // What was kept for this process at a fork.
    try delivery.startIfWaitedFor()
  }

  func endWaits() -> [Any] {
    endSyncs(.closed) + endAttachments(.exiting) + openSources.flatMap { $0.endRuns(.exiting) }
  }

  func stopCallbacks() -> NamedThread? { delivery.stop() }

  func resumeChild() {
    delivery.resumeChild()
    leak(syncs)
    syncs = []
    resumeAttachmentsInChild()
    for source in openSources { source.resumeChild() }
  }
}
