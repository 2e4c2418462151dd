// SPDX-License-Identifier: Apache-2.0
//
// Composes the live snapshot again after the client's context or the overrides have changed.

extension SourceShell {
  /// Composes all snapshots again, after the client's context has changed.
  func recompose(_ right: borrowing Exclusive) {
    composer.recomposeStaged(right)
    let old = live(right)
    let new = composer.recompose(right)
    let isVisible = !old.hasSameValues(as: new.snapshot)
    guard isVisible || new.snapshot.filterFailures != old.filterFailures else { return }
    show(new, by: .recomposed(.context, isVisible: isVisible), right)
  }

  /// Publishes a snapshot whose overrides differ from those of the live one.
  func publish(overridden new: Candidate, _ right: borrowing Exclusive) {
    // The staged snapshot first, because the event contains it too.
    composer.recomposeStaged(right)
    show(new, by: .recomposed(.override, isVisible: !live(right).hasSameValues(as: new.snapshot)), right)
  }
}
