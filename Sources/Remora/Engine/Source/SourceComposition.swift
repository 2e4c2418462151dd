// SPDX-License-Identifier: Apache-2.0
//
// The snapshots of a source: composed of a base, its layers and the context of its client. In jobs only.

extension Source {
  /// The snapshot of a base under this source's layers, in the client's context. In jobs only.
  func compose(_ base: Image, _ origin: Origin) -> Snapshot {
    let (layers, context) = lock.withLock { (self.layers, client.context) }
    return composition.composeOrHide(base, origin, under: layers, in: context) { note($0, $1) }
  }

  /// Composes what is live anew, after the client's context has changed. In jobs only.
  func recompose() {
    recomposeStaged()
    let old = live
    let new = compose(old.base, old.origin)
    let isChanged = differs(old, new)
    guard isChanged || new.filterFailures != old.filterFailures else { return }
    publish(new, ledger) { isChanged ? Event(.context, old: $0, new: $1) : nil }
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
