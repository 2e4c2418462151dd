// SPDX-License-Identifier: Apache-2.0
//
// What a new document does to the layers before it becomes live: keys that it does not list are carried over, and the
// overrides of keys that it removes end; also at the open that makes it live.

extension Source {
  /// The snapshot of an image that takes the place of the live one.
  func compose(successor image: Image, _ right: borrowing Exclusive) -> Snapshot {
    guard case .keepUnlisted = dialect.updates else { return compose(image, .fetched, right) }
    let before = lock.withLock { _ in layers }
    var next = before
    do throws(RemoraError) {
      next.carriedOver = try CarriedKeys(from: live.base, live.origin, under: before, to: image)
    } catch {
      note(.error, "what the new document does not list is not carried over: \(error.message)")
      next.carriedOver = CarriedKeys()
    }
    let removed = dialect.updates.removedKeys(in: image, after: live.base)
    let isChanged = next.overrides.end(removed)
    lock.withLock { _ in
      layers = next
      unreadOverrides?.change(removed)
      if isChanged { owesOverrides = persistsOverrides }
    }
    return compose(image, .fetched, right)
  }

  /// The same for one that was staged; it is itself what it was composed to, unless keys are carried over to it.
  func compose(successor staged: Snapshot, _ right: borrowing Exclusive) -> Snapshot {
    switch dialect.updates {
    case .replaceAll: staged
    case .keepUnlisted: compose(successor: staged.base, right)
    }
  }
}

extension OverrideList {
  /// Removes the overrides of keys. Returns whether there were any.
  @discardableResult
  mutating func end(_ removed: [[UInt8]]) -> Bool {
    let count = all.count
    for key in removed { remove(key, []) }
    return all.count < count
  }
}
