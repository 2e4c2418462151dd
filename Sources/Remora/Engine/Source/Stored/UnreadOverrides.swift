// SPDX-License-Identifier: Apache-2.0
//
// Stored overrides that could not be read when their source was opened. The host's changes hold in memory meanwhile.
// After a later read, the stored overrides return underneath these changes.

/// The places that were changed since a read of the stored overrides failed: set, cleared, or removed by a document.
struct UnreadOverrides: Sendable {
  private var changed: [OverridePlace] = []

  /// Begins with keys that a document removed.
  init(_ removed: [[UInt8]] = []) { add(removed) }

  /// Adds keys that a document removed.
  mutating func add(_ removed: [[UInt8]]) { for key in removed { add(OverridePlace(key, [])) } }

  /// Adds a place. The stored overrides at it and below it are obsolete.
  mutating func add(_ place: OverridePlace) {
    if !changed.contains(place) { changed.append(place) }
  }

  /// Returns the stored overrides, but for obsolete ones, with the overrides in memory over them.
  ///
  /// - Throws: `.tooLarge` if these are too many.
  func merge(_ stored: OverrideList, under current: OverrideList) throws(RemoraError) -> OverrideList {
    var merged = stored
    for place in changed { merged.remove(place.key, place.pointer) }
    for override in current.all { try merged.set(override) }
    return merged
  }
}

extension Source {
  /// Reads the stored overrides again if the last attempt failed, and publishes them underneath the changes of the host.
  func rereadOverrides(_ right: borrowing Exclusive) {
    let (unread, context) = lock.withLock { locked in
      let unread = state.with(locked) { $0.openness.isEnded ? nil : $0.overridesFile.unread }
      return (unread, services.state.read(locked, \.context))
    }
    guard let unread else { return }
    let (before, live) = (snapshots.read(right, \.layers), live(right))
    let stored = StoredOverrides(of: dialect, in: storage)
    do throws(RemoraError) {
      if stored.isUnread, let problem = stored.problem { throw problem }
      var next = before
      next.overrides = try unread.merge(stored.list, under: before.overrides)
      let isCurrent = !stored.isInherited && next.overrides == stored.list
      let new = try desk.with(right) { desk throws(RemoraError) in
        try desk.composition.compose(live.base, live.origin, under: next, in: context) { note($0, $1) }
      }
      lock.withLock { locked in
        snapshots.change(right, locked) { $0.layers = next }
        forgetOverridesProblem(locked)
        state.with(locked) { $0.overridesFile.noteRead(isCurrent: isCurrent, problem: stored.problem) }
      }
      if let problem = stored.problem { noteStorage(problem, "the stored overrides will be replaced") }
      publish(overridden: new, right)
      storeOverrides(patienceMs: 0)
    } catch {
      noteUnread(error)
    }
  }

  /// Remembers a failed read, and logs each reason once.
  private func noteUnread(_ error: RemoraError) {
    let isNew = lock.withLock { locked in
      if state.read(locked, \.data.problems.storage) == nil { _ = take(.storageFailed(error), locked) }
      return state.with(locked) { $0.overridesFile.noteFailure(error) }
    }
    if isNew { note(.warning, "the stored overrides cannot be read and are read again later: \(error.message)") }
  }
}
