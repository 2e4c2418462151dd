// SPDX-License-Identifier: Apache-2.0

/// The state of the file of a source's overrides, as opposed to the current overrides. A value: it does not access
/// files.
struct OverridesFileState: Sendable {
  enum Content: Sendable {
    /// The file has the current overrides, or they are not to be stored.
    case current
    /// The file has other overrides than the current ones.
    case outdated
    /// Reading the file failed; the associated value has the changes made since.
    case unread(UnreadOverrides)
  }

  private(set) var content = Content.current
  /// Whether the current overrides are copies of those of a parent process: then they are not stored, because the
  /// parent may have stored others since. Ends with the first change by the host.
  private var isOfParent = false
  /// Keys that a document removed, whose overrides must still be removed from the file.
  private(set) var keysToRemove: [[UInt8]] = []
  /// The reason the file could not be read or written.
  private(set) var problem: RemoraError?

  /// The number of writes that have failed in a row.
  private var failedWrites = 0
  /// The monotonic time of the next attempt after a failed write.
  private var nextWriteMs: Int64 = 0

  /// Creates the state from the result of an opening.
  init(_ found: StoredOverrides, removed: [[UInt8]], isOutdated: Bool) {
    content = found.isUnread ? .unread(UnreadOverrides(removed)) : isOutdated ? .outdated : .current
    problem = found.problem
  }

  /// The changes since a read that failed.
  var unread: UnreadOverrides? {
    if case .unread(let changes) = content { changes } else { nil }
  }

  var isOutdated: Bool {
    if case .outdated = content { true } else { false }
  }

  /// Records a change by the host at a place; nil means a change of all overrides, which does not depend on earlier
  /// ones.
  mutating func noteChange(at place: OverridePlace?, isStored: Bool) {
    isOfParent = false
    if var changes = unread, let place {
      changes.add(place)
      content = .unread(changes)
    } else if unread != nil || isStored {
      content = .outdated
    }
  }

  /// Records keys that a document removed.
  mutating func noteRemoved(_ keys: [[UInt8]], isChange: Bool) {
    if var changes = unread {
      changes.add(keys)
      content = .unread(changes)
    } else if isChange, !isOfParent {
      content = .outdated
    }
  }

  /// Called after a fork, in the child. What is still to be written is written by the parent.
  mutating func resumeChild() {
    isOfParent = true
    if isOutdated { content = .current }
    (keysToRemove, failedWrites) = ([], 0)
  }

  /// Records that the directory was replaced by one in which nothing is stored yet.
  mutating func noteNewStorage(isAnythingStored: Bool) {
    if isAnythingStored, !isOfParent, unread == nil { content = .outdated }
  }

  /// Records that the file was written.
  mutating func noteStored(isCurrent: Bool) {
    content = isCurrent ? .current : .outdated
    keysToRemove = []
    problem = nil
    failedWrites = 0
  }

  /// Records a failed write, after which the next attempt waits 1 s, then twice as long each time, up to 32 s. Returns
  /// whether the reason is new.
  mutating func noteFailedWrite(_ error: RemoraError, monotonicMs: Int64) -> Bool {
    defer { failedWrites = min(failedWrites + 1, 5) }
    nextWriteMs = monotonicMs.addingClamped(1000 << Int64(failedWrites))
    return noteFailure(error)
  }

  /// Whether a write that failed is to be tried again.
  func isWriteDue(monotonicMs: Int64) -> Bool { isOutdated && failedWrites > 0 && monotonicMs >= nextWriteMs }

  /// Records that the file was read after earlier reads had failed.
  mutating func noteRead(isCurrent: Bool, problem: RemoraError?) {
    content = isCurrent || isOfParent ? .current : .outdated
    self.problem = problem
  }

  /// Records that the file could not be read or written. Returns whether the reason is new.
  @discardableResult
  mutating func noteFailure(_ error: RemoraError) -> Bool {
    defer { problem = error }
    return problem != error
  }

  /// Adds keys whose overrides are to be removed from the file.
  mutating func remove(_ keys: [[UInt8]]) { keysToRemove += keys.filter { !keysToRemove.contains($0) } }

  /// Records that these overrides were removed.
  mutating func noteKeysRemoved() { keysToRemove = [] }
}

struct OverridePlace: Equatable, Sendable {
  let key: [UInt8]
  let pointer: [UInt8]

  init(_ key: [UInt8], _ pointer: [UInt8]) {
    self.key = key
    self.pointer = pointer
  }
}

// Stored overrides that could not be read when their source was opened. Meanwhile the host's changes apply in memory.
// When a later read succeeds, the stored overrides apply below these changes.

/// The places that were changed since a read of the stored overrides failed: set, cleared, or removed by a document.
struct UnreadOverrides: Sendable {
  private var changed: [OverridePlace] = []

  /// Starts with keys that a document removed.
  init(_ removed: [[UInt8]] = []) { add(removed) }

  /// Adds keys that a document removed.
  mutating func add(_ removed: [[UInt8]]) { for key in removed { add(OverridePlace(key, [])) } }

  /// Adds a place. The stored overrides at it and below it are obsolete.
  mutating func add(_ place: OverridePlace) {
    if !changed.contains(place) { changed.append(place) }
  }

  /// Merges the stored overrides, except obsolete ones, with those in memory, which take precedence.
  ///
  /// - Throws: `.tooLarge` if there are too many.
  func merge(_ stored: OverrideList, under current: OverrideList) throws(RemoraError) -> OverrideList {
    var merged = stored
    for place in changed { merged.remove(place.key, place.pointer) }
    for override in current.all { try merged.set(override) }
    return merged
  }
}
