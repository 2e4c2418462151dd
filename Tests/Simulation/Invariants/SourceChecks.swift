// SPDX-License-Identifier: Apache-2.0
//
// What is checked of each open source after each step: invariants 1, 2, 5, 9, 10 and 11.

import Remora

extension Invariants {
  /// Checks a process between two steps.
  func check(_ process: SimulatedProcess) {
    notePauses(of: process)
    for opened in process.opened {
      checkRejected(opened, of: process)
      check(opened, of: process)
    }
    checkHeldFiles(process)
  }

  private func check(_ opened: OpenedSource, of process: SimulatedProcess) {
    guard let info = try? opened.source.info(), let revision = try? opened.source.revision() else { return }
    guard revision.pointee != opened.seen.revision else { return }
    let snapshot = opened.source.cell.acquire()
    opened.seen.revision = revision.pointee
    let (kind, metadata) = (opened.kind, snapshot.base.metadata)
    if info.version != metadata.version || info.origin != snapshot.origin || info.fetchedAtMs != metadata.fetchedAtMs {
      fail(5, "\(kind): info says \(info.version) \(info.origin), readers see \(snapshot.text)")
    }
    checkOverrides(of: opened, in: snapshot)
    guard snapshot.origin == .fetched || snapshot.origin == .cached else { return opened.seen.checksum = nil }
    checkContent(kind, snapshot)
    checkOrder(opened, snapshot)
    update(kind) { expected in
      expected.newestEpoch = max(expected.newestEpoch, metadata.epoch)
      expected.newestVersion = max(expected.newestVersion, metadata.version)
      expected.name = StorageName(hashing: metadata.identity)
    }
    opened.seen.checksum = snapshot.base.checksum
    opened.seen.version = metadata.version
    opened.seen.number = number(kind, snapshot.base)
    opened.seen.epoch = metadata.epoch
    opened.seen.mayMove = false
  }

  /// 1 and 11: the live data goes forward, and moves only when it may.
  private func checkOrder(_ opened: OpenedSource, _ snapshot: Snapshot) {
    let (seen, metadata) = (opened.seen, snapshot.base.metadata)
    guard let checksum = seen.checksum else { return }
    if checksum != snapshot.base.checksum, isRejected(opened.kind, seen.number) {
      let isGone = number(opened.kind, snapshot.base) != seen.number
      if isGone, now(opened.kind).rejections.returned[seen.number]?.storedMs != nil {
        opened.rejecting.known[seen.number] = seen.epoch
      }
      return counts.replaced += 1
    }
    // The version of settings is the time of their fetch, which has no floor.
    let hasFallenBack = metadata.epoch == seen.epoch && hasFallenBack(opened.kind, seen.number, seen.version)
    // What it shows was live for too short a time to be kept, and the version that followed it was rejected.
    if checksum != snapshot.base.checksum, hasFallenBack { return }
    let isLower = opened.kind != .settings && metadata.version < seen.version
    if metadata.epoch < seen.epoch || (metadata.epoch == seen.epoch && isLower) {
      fail(1, "\(opened.kind): \(snapshot.text) became live after \(seen.version) (epoch \(seen.epoch))")
    }
    let moves = checksum != snapshot.base.checksum && metadata.epoch == seen.epoch
    if moves, !seen.mayMove, opened.activation != .immediate || seen.isMuted {
      fail(11, "\(opened.kind): \(snapshot.text) became live after \(seen.number), and nobody had activated it")
    }
  }

  /// 2: the content is that of its version.
  private func checkContent(_ kind: Kind, _ snapshot: Snapshot) {
    let image = snapshot.base
    guard checked.insert(image.checksum ^ UInt64(kind.rawValue)).inserted else { return }
    let content = image.content
    let version = image.metadata.version
    switch kind {
    case .collection:
      let number = CollectionHistory.version(of: version)
      if content != CollectionHistory.content(at: number) {
        fail(2, "version \(number) of the collection has \(content)")
      }
    case .bundle:
      if content != BundleHistory.content(at: Int(version)) {
        fail(2, "version \(version) of the bundle has \(content), \(snapshot.text)")
      }
    case .settings:
      guard let number = content["n"], number >= 1, number <= world.server.newest[kind.rawValue] else {
        return fail(2, "the settings are none of the server's: \(content)")
      }
    }
  }

  /// 5: an override wins over everything else.
  private func checkOverrides(of opened: OpenedSource, in snapshot: Snapshot) {
    guard let overrides = try? opened.source.overrides() else { return }
    for override in overrides.all where override.pointer.isEmpty {
      let found = override.key.withUnsafeBytes { key in
        snapshot.reader.pointee.entry(key)?.value.member("x")?.int.map { "{\"x\":\($0)}" }
      }
      let wanted = String(decoding: override.json, as: UTF8.self)
      if found != wanted {
        let key = String(decoding: override.key, as: UTF8.self)
        fail(5, "\(opened.kind): \(key) is \(found ?? "absent"), and its override is \(wanted)")
      }
    }
  }

  // MARK: Openings

  /// What an opening that begins now must find.
  func willOpen(_ kind: Kind) -> Expected { now(kind) }

  func didOpen(_ opened: OpenedSource, _ before: Expected, of process: SimulatedProcess) {
    let (kind, expected) = (opened.kind, now(opened.kind))
    guard !process.isDead else { return }
    noteOpening(opened, before, of: process)
    // A seed is accepted, also if its files were busy and the process has it alone.
    let newest = opened.source.newestMetadata
    if let newest { update(kind) { $0.newestVersion = max($0.newestVersion, newest.version) } }
    guard expected.disturbances == before.disturbances else { return }
    let found = "an opening found \(newest.map { "\($0.version) (epoch \($0.epoch))" } ?? "nothing")"
    if let newest, newest.epoch < before.leastEpoch {
      fail(9, "\(kind): \(found), after a reset to epoch \(before.leastEpoch)")
    }
    // What cannot be read now is there for the next opening.
    guard let info = try? opened.source.info(), info.storageError == nil, !process.isDead else { return }
    if let stored = before.stored {
      let isThere = newest.map { ($0.epoch, $0.version) >= stored } ?? false
      if !isThere, !hasNumber(of: before, opened, newest) {
        fail(4, "\(kind): \(found), and \(stored.version) (epoch \(stored.epoch)) was stored")
      }
    }
    checkUnfinishedReset(opened, before, process, found: found)
    if let wanted = before.overrides, !before.areOverridesUncertain, opened.persistsOverrides,
      let list = try? opened.source.overrides(), !expected.areOverridesUncertain, list != wanted,
      expected.overrideChanges == before.overrideChanges
    {
      fail(10, "\(kind): an opening found \(list.all.count) overrides, and \(wanted.all.count) others were stored")
    }
  }

  /// Whether settings are as new as those that were stored, though fetched before: a server has confirmed them since.
  private func hasNumber(of before: Expected, _ opened: OpenedSource, _ newest: ImageMetadata?) -> Bool {
    guard let newest, let stored = before.stored, newest.epoch == stored.epoch, let wanted = before.storedNumber,
      let number = liveNumber(of: opened, newest)
    else { return false }
    return number >= wanted
  }

  // MARK: Overrides

  /// Notes that a host changes overrides. Returns what was expected before.
  func willChangeOverrides(_ opened: OpenedSource) -> Expected {
    var before = now(opened.kind)
    // A change first reads what could not be read before.
    if (try? opened.source.info())?.storageError != nil { before.overrides = nil }
    opened.process.isChangingOverrides = true
    update(opened.kind) { expected in
      expected.overrides = nil
      expected.overrideChanges += 1
    }
    return before
  }

  /// - Parameter list: The overrides of the process before. Each process has its own; the last that changed any has
  ///   stored them.
  func changedOverrides(_ opened: OpenedSource, from list: OverrideList?, _ before: Expected) {
    opened.process.isChangingOverrides = false
    let (mine, kind) = (list, opened.kind)
    guard let info = try? opened.source.info(), let list = try? opened.source.overrides() else { return }
    update(kind) { expected in
      if info.storageError != nil { expected.areOverridesUncertain = true }
      // Of two changes at a time, nobody can know here which one was stored last.
      let isAlone =
        expected.overrideChanges == before.overrideChanges + 1
        && !world.processes.contains { $0?.isChangingOverrides == true }
      expected.overrideChanges += 1
      if list != mine {
        expected.overrides = isAlone ? list : nil
      } else if isAlone {
        expected.overrides = before.overrides
      }
    }
  }
}

extension Image {
  /// The number that each entry has.
  var content: [String: Int64] {
    defer { withExtendedLifetime(self) {} }
    let reader = reader(over: nil)
    var content: [String: Int64] = [:]
    for index in 0..<reader.count {
      guard let entry = reader.entry(at: index) else { continue }
      content[String(decoding: entry.key, as: UTF8.self)] = entry.value.int ?? entry.value.member("n")?.int ?? -1
    }
    return content
  }
}
