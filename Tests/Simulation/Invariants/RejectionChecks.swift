// SPDX-License-Identifier: Apache-2.0
//
// What is checked of rejections: invariants 17 and 19, in the process that rejects, and in the others.

import Remora

/// A rejection that has returned.
struct Rejection {
  let epoch: UInt64
  let version: Int64
  let process: Int
  weak var source: OpenedSource?
  /// How many calls had failed in its process before it began: what failed since may be stored in part.
  let failures: Int
  /// When it was stored, by the monotonic clock.
  var storedMs: Int64?
  /// How many calls had failed in each process by then.
  var failuresOfOthers: [Int: Int] = [:]
}

/// What is expected of the rejections of a kind.
struct Rejections {
  /// How many rejections of each content were begun.
  var begun: [Int64: Int] = [:]
  /// The highest version with which each content was rejected.
  var versions: [Int64: Int64] = [:]
  /// By the number of the content; forgotten at a reset.
  var returned: [Int64: Rejection] = [:]
  /// The newest content that was live for ten minutes when another one took its place.
  var veteran: Int64?
  var veteranStamp = Stamp.none
  /// How often each process has changed the names of images.
  var changes: [Int: Int] = [:]
  /// How often a reset has begun, and how many are under way.
  var resets = 0
  var resetting = 0
}

/// What is expected of an open source after rejections.
struct RejectingSource {
  /// The contents that its host has rejected, with the epochs and the versions that they had.
  var own: [Int64: (epoch: UInt64, version: Int64)] = [:]
  /// The contents whose rejection was stored before it was opened, or that it has stopped to use.
  var known: [Int64: UInt64] = [:]
  /// How many calls of the process had failed when it was opened.
  var failuresBefore = 0
  /// When it was opened, and since when it can look at the files once a second, by the monotonic clock.
  var openedMs: Int64 = 0
  var quietSinceMs: Int64?
}

/// A rejection that is under way.
struct RejectionCall {
  let kind: Kind
  let number: Int64
  let name: StorageName
  let image: Image
  let before: StoredImages
  let wasLive: Bool
  /// Whether a power cut loses nothing that was done before.
  let isSynced: Bool
  let failures: Int
  let resets: Int
  let changesOfOthers: Int
}

/// How often the invariants of rejections were checked.
///
/// `@unchecked Sendable`: a simulation has one thread.
final class RejectionCounts: @unchecked Sendable {
  var rejected = 0
  var repeated = 0
  var cut = 0
  var stored = 0
  var pending = 0
  var replaced = 0
  var openings = 0
  var survived = 0
  var displaced = 0

  var text: String {
    "hosts rejected \(rejected) versions, \(repeated) of them again; \(pending) rejections waited for their files, "
      + "\(stored) were stored, and \(cut) failed or were cut off; processes replaced rejected data \(replaced) times; "
      + "\(openings) openings found rejections; versions that were live for ten minutes survived \(displaced) "
      + "replacements and \(survived) rejections"
  }
}

extension Invariants {
  func isRejected(_ kind: Kind, _ number: Int64) -> Bool { now(kind).rejections.begun[number, default: 0] > 0 }

  /// Whether a newer content was rejected, or an older one under a higher version, so that this one may be shown after
  /// it, or be dropped with it.
  func hasFallenBack(_ kind: Kind, _ number: Int64, _ version: Int64 = .max) -> Bool {
    let rejections = now(kind).rejections
    return rejections.begun.contains {
      $0.value > 0 && ($0.key > number || rejections.versions[$0.key, default: .min] > version)
    }
  }

  // MARK: Calls

  func willReject(_ snapshot: Snapshot, _ opened: OpenedSource, of process: SimulatedProcess) -> RejectionCall {
    let (kind, image) = (opened.kind, snapshot.base)
    let (number, name) = (number(kind, image), StorageName(hashing: image.metadata.identity))
    let isFetched = snapshot.origin == .fetched || snapshot.origin == .cached
    update(kind) { expected in
      if isFetched { expected.name = name }
      expected.rejections.begun[number, default: 0] += 1
      expected.rejections.versions[number] = max(
        image.metadata.version, expected.rejections.versions[number] ?? .min)
      expected.disturbances += 1
      // What was stored before it may have been live for too short a time to be kept.
      if expected.stored.map({ $0.version <= image.metadata.version }) ?? true || expected.storedNumber == number {
        expected.stored = nil
      }
      expected.beforeReset = nil
      // What is new after an older version was reported before.
      if kind == .settings { expected.mayAnnounceTwice = true }
    }
    return RejectionCall(
      kind: kind, number: number, name: name, image: image, before: storedImages(kind, name),
      wasLive: opened.source.cell.acquire().base.checksum == image.checksum, isSynced: !world.disk.hasUnsyncedNames,
      failures: process.failures, resets: now(kind).rejections.resets,
      changesOfOthers: changesOfOthers(kind, than: process))
  }

  func rejected(_ call: RejectionCall, _ opened: OpenedSource, of process: SimulatedProcess) {
    guard !process.isDead else { return wasCut(call, opened) }
    counts.rejected += 1
    let (kind, number) = (call.kind, call.number)
    let metadata = call.image.metadata
    let earlier = opened.rejecting.own.updateValue((metadata.epoch, metadata.version), forKey: number)
    let isRepeated = earlier?.epoch == metadata.epoch
    if isRepeated { counts.repeated += 1 }
    world.calmly { checkRejected(opened, of: process) }
    let hasFailed = process.failures != call.failures
    checkFiles(call, opened, mayBePending: hasFailed || opened.source.isRejectionPending)
    // What may let others go on comes first: a reset may begin there.
    let isPending = opened.source.isRejectionPending
    let isSurvivor = call.wasLive && !hasFailed && hasStorage(opened)
    guard call.resets == now(kind).rejections.resets, now(kind).rejections.resetting == 0 else { return }
    register(call, opened, of: process, isRepeated: isRepeated, isPending: isPending)
    if isSurvivor { checkVeteran(kind, opened, "after a rejection") { counts.survived += 1 } }
  }

  private func register(
    _ call: RejectionCall, _ opened: OpenedSource, of process: SimulatedProcess, isRepeated: Bool, isPending: Bool
  ) {
    let (kind, number, metadata) = (call.kind, call.number, call.image.metadata)
    // One that was returned with this version changes nothing; what was rejected before a reset is forgotten.
    let earlier = now(kind).rejections.returned[number]
    let isHigher = earlier.map { $0.version < metadata.version } ?? false
    guard isHigher || (!isRepeated && earlier?.storedMs == nil), !isDiscarded(call) else { return }
    if isPending { counts.pending += 1 }
    update(kind) {
      $0.rejections.returned[number] = Rejection(
        epoch: metadata.epoch, version: metadata.version, process: process.id, source: opened, failures: call.failures)
    }
  }

  func notRejected(
    _ call: RejectionCall, _ opened: OpenedSource, of process: SimulatedProcess, _ error: RemoraError
  ) {
    guard !process.isDead else { return wasCut(call, opened) }
    counts.cut += 1
    update(call.kind) { $0.rejections.begun[call.number, default: 0] -= 1 }
    checkFiles(call, opened, mayBePending: true)
    guard error.code == .notFound else { return }
    let shown = shownImages(opened).first { $0.checksum == call.image.checksum }
    if shown != nil { fail(19, "\(call.kind): \(call.number) is in use, and a rejection did not find it") }
  }

  private func wasCut(_ call: RejectionCall, _ opened: OpenedSource) {
    counts.cut += 1
    if call.isSynced { checkFiles(call, opened, mayBePending: true) }
  }

  /// 19: the files are as before, or as the rejection wants them.
  private func checkFiles(_ call: RejectionCall, _ opened: OpenedSource, mayBePending: Bool) {
    guard call.changesOfOthers == changesOfOthers(call.kind, than: opened.process) else { return }
    let files = storedImages(call.kind, call.name)
    // Earlier ones of the process that were pending are stored together with it, one after the other.
    let epoch = max(call.before.newestEpoch, files.newestEpoch)
    let gone = (opened.rejecting.own.keys + [call.number]).filter {
      !files.mayShow($0, epoch: epoch) || files.rejected(since: epoch) == $0
    }
    let isStored = gone.contains(call.number) || mayBePending || isDiscarded(call)
    if !isStored || files.choice(since: epoch) != call.before.choice(without: gone, since: epoch) {
      fail(19, "\(call.kind): the rejection of \(call.number) has turned \(call.before.text) into \(files.text)")
    }
  }

  /// Whether the source has no problem with its files.
  func hasStorage(_ opened: OpenedSource) -> Bool { (try? opened.source.info())?.storageError == nil }

  /// Whether a reset has discarded the content, which a process without a readable ledger does not know.
  private func isDiscarded(_ call: RejectionCall) -> Bool {
    let epochs = call.before.bySlot.values.map(\.stamp.epoch) + [now(call.kind).newestEpoch, now(call.kind).leastEpoch]
    return epochs.contains { $0 > call.image.metadata.epoch }
  }

  private func changesOfOthers(_ kind: Kind, than process: SimulatedProcess) -> Int {
    now(kind).rejections.changes.reduce(0) { $0 + ($1.key == process.id ? 0 : $1.value) }
  }

  // MARK: Steps

  /// The fetched images that a process uses.
  private func shownImages(_ opened: OpenedSource) -> [Image] {
    let live = opened.source.cell.acquire()
    let isFetched = live.origin == .fetched || live.origin == .cached
    return (isFetched ? [live.base] : []) + [opened.source.stagedSnapshot?.base].compactMap(\.self)
  }

  /// 17: rejected content is not readable.
  func checkRejected(_ opened: OpenedSource, of process: SimulatedProcess) {
    noteQuiet(opened, of: process)
    let (kind, rejecting) = (opened.kind, opened.rejecting)
    let returned = now(kind).rejections.returned
    guard !returned.isEmpty || !rejecting.own.isEmpty else { return }
    for image in shownImages(opened) {
      let (number, epoch) = (number(kind, image), image.metadata.epoch)
      // Of settings, the newest rejected ones are remembered only: an older seed may have others. Their versions are
      // times, and two may have the same.
      let versions = now(kind).rejections.versions.filter { $0.key != number }.values
      let isForgotten = { (version: Int64) in kind == .settings && versions.contains { $0 >= version } }
      if let own = rejecting.own[number], own.epoch == epoch, !isForgotten(own.version) {
        fail(17, "\(kind): process \(process.id) has rejected \(number), and uses it")
      }
      guard let rejection = returned[number], rejection.epoch == epoch, !isForgotten(rejection.version)
      else { continue }
      // Without a storage, a process cannot know.
      guard hasStorage(opened) else { continue }
      if rejecting.known[number] == epoch, process.failures == rejecting.failuresBefore {
        fail(17, "\(kind): process \(process.id) uses \(number), whose rejection was stored before")
      }
      // A process that has not activated the versions that followed, or has rejected them before, cannot see that an
      // older one was removed: the last rejected one is remembered only.
      let live = now(kind).name.flatMap { storedImages(kind, $0).choice().live } ?? .min
      let isOvertaken =
        hasFallenBack(kind, number)
        && (live > number || rejecting.own.contains { $0.key > number && $0.value.epoch == epoch })
      if isLate(rejection, opened, of: process), !isOvertaken {
        fail(17, "\(kind): process \(process.id) uses \(number), which process \(rejection.process) has rejected")
      }
    }
  }

  /// Notes whether a source can look at its files once a second: no refresh is under way here or in another process,
  /// and no job waits.
  private func noteQuiet(_ opened: OpenedSource, of process: SimulatedProcess) {
    let isBusy =
      process.calls.contains { $0.kind == opened.kind } || !process.transport.pending.isEmpty || process.syncs > 0
      || now(opened.kind).name.map { world.disk["lock"]?.locks[$0.lockByte] != nil } ?? false
      || world.monotonicMs < opened.rejecting.openedMs + 1000
      || process.runtime.worker.nextDueMs.map { $0 <= world.monotonicMs } ?? false
    opened.rejecting.quietSinceMs = isBusy ? nil : opened.rejecting.quietSinceMs ?? world.monotonicMs
  }

  /// Whether a process has looked at its files since a rejection was stored.
  private func isLate(_ rejection: Rejection, _ opened: OpenedSource, of process: SimulatedProcess) -> Bool {
    guard let stored = rejection.storedMs, let quiet = opened.rejecting.quietSinceMs,
      let due = process.runtime.worker.nextDueMs, due > world.monotonicMs,
      rejection.failuresOfOthers[process.id, default: 0] == process.failures
    else { return false }
    return world.monotonicMs > max(stored, quiet) + 2000
  }
}
