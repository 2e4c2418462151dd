// SPDX-License-Identifier: Apache-2.0
//
// What is checked of the files after rejections: invariant 18, and whether rejections are stored.

import Remora

extension Invariants {
  /// How long a version must be live to be kept, in ms.
  private static var longLifeMs: Int64 { 600_000 }

  // MARK: Names

  /// Notes that an image gets another name.
  func noteRename(_ from: String, _ to: String, by process: Int) {
    noteChange(of: to, by: process)
    guard case .image(let name, let slot)? = StoredFile(fileName: to) else { return }
    if StoredFile(fileName: from) == .image(name, .live), slot == .previous { noteReplaced(name) }
    if slot == .live {
      noteReplaced(name)
      noteEpoch(of: name, from)
      world.disk[from]?.becameLiveMs = world.wallMs
    }
  }

  func noteChange(of file: String, by process: Int) {
    guard case .image(let name, _)? = StoredFile(fileName: file), let kind = kind(of: name) else { return }
    update(kind) { $0.rejections.changes[process, default: 0] += 1 }
  }

  /// Notes that another image takes the place of the live one.
  private func noteReplaced(_ name: StorageName) {
    guard let kind = kind(of: name), now(kind).rejections.resetting == 0,
      let file = world.disk[StoredFile.image(name, .live).fileName], let image = read(kind, file)
    else { return }
    var sinceMs = file.becameLiveMs ?? file.modifiedMs
    if file.hasWrongTime { sinceMs = min(sinceMs, file.modifiedMs) }
    world.note("\(kind) \(image.number) is replaced after \(world.wallMs - sinceMs) ms")
    let epoch = storedImages(kind, name).newestEpoch
    let isDiscarded = file.mayBeDiscarded || image.stamp.epoch < max(epoch, now(kind).newestEpoch)
    let isWanted = !isDiscarded && !isRejected(kind, image.number)
    if world.wallMs - sinceMs >= Self.longLifeMs {
      update(kind) { expected in
        expected.rejections.veteran = isWanted ? image.number : nil
        expected.rejections.veteranStamp = image.stamp
      }
    } else if now(kind).rejections.veteran != nil {
      counts.displaced += 1
    }
  }

  /// Forgets what was live before a reset, when the first image that follows the reset becomes live.
  private func noteEpoch(of name: StorageName, _ from: String) {
    guard let kind = kind(of: name), let next = world.disk[from].flatMap({ read(kind, $0) }) else { return }
    update(kind) { if $0.rejections.veteranStamp.epoch < next.stamp.epoch { $0.rejections.veteran = nil } }
  }

  // MARK: Steps

  /// 18, and which rejections are stored by now.
  ///
  /// - Parameter mayBeLost: Whether a power cut has just lost changes that were not synced.
  func checkStored(mayBeLost: Bool) {
    guard world.hasBadVersions else { return }
    for kind in Kind.allCases {
      guard let name = now(kind).name else { continue }
      let found = storedImages(kind, name)
      if let veteran = now(kind).rejections.veteran {
        let isStored = [ImageSlot.live, .previous].contains { found.bySlot[$0]?.number == veteran }
        if mayBeLost && !isStored || isRejected(kind, veteran) {
          update(kind) { $0.rejections.veteran = nil }
        } else if !isStored {
          fail(18, "\(kind): \(veteran) was live for ten minutes, and the files have \(found.text)")
        }
      }
      for (number, rejection) in now(kind).rejections.returned where rejection.storedMs == nil {
        noteStored(kind, number, rejection, found)
      }
    }
  }

  private func noteStored(_ kind: Kind, _ number: Int64, _ rejection: Rejection, _ found: StoredImages) {
    guard let opened = rejection.source, !opened.process.isDead, opened.process.sources[kind] === opened else {
      // It was pending in memory, or a crash came before the others could know of it.
      return update(kind) { $0.rejections.returned[number] = nil }
    }
    guard !opened.source.isRejectionPending, opened.process.failures == rejection.failures else { return }
    let former = found.bySlot[.rejected]
    let isRemembered = former.map { $0.number == number || $0.version > rejection.version } ?? false
    // Of settings, the newest rejected ones are remembered only: a seed may bring back what was rejected before.
    let isForgotten = kind == .settings && former.map { $0.number != number } ?? false
    if found.mayShow(number, epoch: rejection.epoch) && !isForgotten || !isRemembered {
      fail(17, "\(kind): the rejection of \(number) is not pending, and the files have \(found.text)")
    }
    counts.stored += 1
    update(kind) { expected in
      expected.rejections.returned[number]?.storedMs = world.monotonicMs
      for process in world.alive {
        expected.rejections.returned[number]?.failuresOfOthers[process.id] = process.failures
      }
    }
  }

  /// At the end, no rejection waits for its files.
  func checkAllStored() {
    for process in world.alive {
      for opened in process.opened where opened.source.isRejectionPending {
        // A directory that could not be opened is not opened again.
        guard hasStorage(opened) else { continue }
        fail(17, "\(opened.kind): a rejection by process \(process.id) is never stored")
      }
    }
  }

  // MARK: Openings and resets

  func noteOpening(_ opened: OpenedSource, _ before: Expected, of process: SimulatedProcess) {
    let kind = opened.kind
    let stored = before.rejections.returned.filter { $0.value.storedMs != nil }
    opened.rejecting.openedMs = world.monotonicMs
    opened.rejecting.known = stored.mapValues(\.epoch)
    if !stored.isEmpty { counts.openings += 1 }
    guard process.failures == opened.rejecting.failuresBefore, hasStorage(opened),
      before.rejections.veteran == now(kind).rejections.veteran, now(kind).rejections.resetting == 0
    else { return }
    checkVeteran(kind, opened, "at an opening") {}
  }

  /// 18: what was live for ten minutes is read, or something newer.
  func checkVeteran(_ kind: Kind, _ opened: OpenedSource, _ moment: String, count: () -> Void) {
    guard let veteran = now(kind).rejections.veteran, !isRejected(kind, veteran) else { return }
    let live = opened.source.cell.acquire()
    let isFetched = live.origin == .fetched || live.origin == .cached
    let isRead = isFetched && ImageFacts(live.base).stamp >= now(kind).rejections.veteranStamp
    if !isRead { fail(18, "\(kind): \(veteran) was live for ten minutes, and \(moment) \(live.text) is read") }
    count()
  }

  func forgetRejections(_ kind: Kind) {
    update(kind) { expected in
      expected.rejections.returned = [:]
      expected.rejections.veteran = nil
      expected.rejections.resets += 1
    }
    guard let name = now(kind).name else { return }
    for slot in [ImageSlot.live, .staged, .previous] {
      world.disk[StoredFile.image(name, slot).fileName]?.mayBeDiscarded = true
    }
  }
}
