// SPDX-License-Identifier: Apache-2.0
//
// The snapshots of a source: composed of a base, its layers and the context of its client.

extension Source {
  /// The snapshot of a base under this source's layers, in the client's context.
  func compose(_ base: Image, _ origin: Origin, _ right: borrowing Exclusive) -> Snapshot {
    let (layers, context) = lock.withLock { (self.layers, client.state.read($0, \.context)) }
    return composition.composeOrHide(base, origin, under: layers, in: context) { note($0, $1) }
  }

  /// Composes what is live anew, after the client's context has changed.
  func recompose(_ right: borrowing Exclusive) {
    recomposeStaged(right)
    let old = live
    let new = compose(old.base, old.origin, right)
    let isChanged = differs(old, new)
    guard isChanged || new.filterFailures != old.filterFailures else { return }
    publish(new, ledger, right) { old, new, _ in isChanged ? Event(.context, old: old, new: new) : nil }
  }

  /// Whether a reader sees a difference.
  func differs(_ old: Snapshot, _ new: Snapshot) -> Bool {
    var isChanged = false
    diff(old.reader.pointee, new.reader.pointee) { _ in
      isChanged = true
      return false
    }
    return isChanged
  }
}
