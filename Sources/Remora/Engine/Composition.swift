// SPDX-License-Identifier: Apache-2.0
//
// A base image to a snapshot: what this process changes of it is laid over here, and nowhere else. Whatever becomes
// live, at open, by a refresh, from another process, by a reset or by a new context, is composed here.

/// The rules by which a source's images become snapshots.
///
/// Confined to jobs of the worker, but for the source that is being made.
struct Composition {
  private let member: StaticString?
  private let nothing: Snapshot
  private var filter = RecordFilter()

  init(_ dialect: any Dialect, nothing: Snapshot) {
    member = dialect.filterMember
    self.nothing = nothing
  }

  /// The snapshot of a base in a context. What the host is to know goes to `note`.
  mutating func compose(
    _ base: Image, _ origin: Origin, in context: FilterContext, note: (LogLevel, String) -> Void
  ) -> Snapshot {
    guard let member, base.metadata.mayHaveFilters else { return Snapshot(base: base, origin: origin) }
    do throws(RemoraError) {
      let pass = try filter.evaluate(base, member: member, in: context)
      for message in pass.notes { note(message.level, message.text) }
      let overlay = try composeOverlay(over: base, changes: pass.hidden)
      return Snapshot(base: base, overlay: overlay, origin: origin, filterFailures: pass.failures)
    } catch {
      // What cannot be filtered is not shown.
      note(.error, "nothing is shown of a source, because it cannot be filtered: \(error.message)")
      return Snapshot(base: base, overlay: nothing.base, origin: origin)
    }
  }
}

extension Source {
  /// The snapshot of a base in the client's context. In jobs only.
  func compose(_ base: Image, _ origin: Origin) -> Snapshot {
    composition.compose(base, origin, in: lock.withLock { client.context }) { client.note($0, $1) }
  }

  /// Composes what is live anew, after the client's context has changed. In jobs only.
  func recompose() {
    let old = live
    guard old.origin != .none else { return }
    let new = compose(old.base, old.origin)
    var isChanged = false
    diff(old.reader.pointee, new.reader.pointee) { _ in
      isChanged = true
      return false
    }
    guard isChanged || new.filterFailures != old.filterFailures else { return }
    publish(new, ledger) { isChanged ? Event(.context, old: $0, new: $1) : nil }
  }
}

extension FilterNote {
  fileprivate var level: LogLevel {
    switch self {
    case .failed: .warning
    case .ignored: .debug
    }
  }

  fileprivate var text: String {
    switch self {
    case .failed(let record, let error):
      "the filter of record \(record) fails, and hides every record that has it: \(error.message)"
    case .ignored(let record, let type, let others):
      "the filter of record \(record) is \(type), not a string, and is ignored"
        + (others > 0 ? "; so are \(others) more" : "")
    }
  }
}
