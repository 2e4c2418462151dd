// SPDX-License-Identifier: Apache-2.0
//
// What is live, shown anew after the context of the client or the overrides have changed.

extension SourceShell {
  /// Composes everything anew, after the client's context has changed.
  func recompose(_ right: borrowing Exclusive) {
    composer.recomposeStaged(right)
    let old = live(right)
    let new = composer.layered(old.base, old.origin, right)
    let isVisible = !old.hasSameValues(as: new)
    guard isVisible || new.filterFailures != old.filterFailures else { return }
    show(new, by: .recomposed(.context, isVisible: isVisible), right)
  }

  /// Publishes a snapshot whose overrides differ from those of the live one.
  func publish(overridden new: Snapshot, _ right: borrowing Exclusive) {
    // First what is staged: the event has it too.
    composer.recomposeStaged(right)
    show(new, by: .recomposed(.override, isVisible: !live(right).hasSameValues(as: new)), right)
  }
}
