// SPDX-License-Identifier: Apache-2.0
//
// What is known of the file of a source's overrides, beside the overrides of now.

/// The state of the file of a source's overrides. A value: it reads no file.
struct OverridesFileState: Sendable {
  enum Content: Sendable {
    /// It holds the overrides of now, or these are not to be stored.
    case current
    /// It holds other overrides than those of now.
    case outdated
    /// Reading it failed; these changes were made since.
    case unread(UnreadOverrides)
  }

  private(set) var content = Content.current
  /// Keys that a document removed, whose overrides are still to be removed from the file.
  private(set) var keysToRemove: [[UInt8]] = []
  /// Why the file could not be read or written.
  private(set) var problem: RemoraError?

  /// As an opening has found it.
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

  /// Notes a change of the host's at a place; nil is a change of all overrides, which needs no earlier ones.
  mutating func noteChange(at place: OverridePlace?, isStored: Bool) {
    if var changes = unread, let place {
      changes.add(place)
      content = .unread(changes)
    } else if unread != nil || isStored {
      content = .outdated
    }
  }

  /// Notes keys that a document removed.
  mutating func noteRemoved(_ keys: [[UInt8]], isChange: Bool) {
    if var changes = unread {
      changes.add(keys)
      content = .unread(changes)
    } else if isChange {
      content = .outdated
    }
  }

  /// Notes that there is another directory, in which nothing is stored yet.
  mutating func noteNewStorage(isAnythingStored: Bool) {
    if isAnythingStored, unread == nil { content = .outdated }
  }

  /// Notes that the file was written.
  mutating func noteStored(isCurrent: Bool) {
    content = isCurrent ? .current : .outdated
    keysToRemove = []
    problem = nil
  }

  /// Notes that the file was read after earlier reads had failed.
  mutating func noteRead(isCurrent: Bool, problem: RemoraError?) {
    content = isCurrent ? .current : .outdated
    self.problem = problem
  }

  /// Notes that the file could not be read or written. Returns whether that is a new reason.
  @discardableResult
  mutating func noteFailure(_ error: RemoraError) -> Bool {
    defer { problem = error }
    return problem != error
  }

  /// Adds keys whose overrides are to be removed from the file.
  mutating func remove(_ keys: [[UInt8]]) { keysToRemove += keys.filter { !keysToRemove.contains($0) } }

  /// Notes that these were removed.
  mutating func noteKeysRemoved() { keysToRemove = [] }
}

/// The place of an override.
struct OverridePlace: Equatable, Sendable {
  let key: [UInt8]
  let pointer: [UInt8]

  init(_ key: [UInt8], _ pointer: [UInt8]) {
    self.key = key
    self.pointer = pointer
  }
}
