// SPDX-License-Identifier: Apache-2.0
//
// Composes a snapshot from a base image: only here are this process's changes applied. Every live snapshot is composed
// here, whether it results from opening, a refresh, another process, a reset, a new context or an override.

package struct Composition {
  private let hiding: HidingRule
  private let nothing: Snapshot
  private let hashSeed: @Sendable () -> HashSeed
  private var filter = RecordFilter()

  init(_ dialect: any Dialect, nothing: Snapshot, hashSeed: @escaping @Sendable () -> HashSeed) {
    self.init(hiding: dialect.hiding, nothing: nothing, hashSeed: hashSeed)
  }

  /// Creates the composition of a source of which only the rule for hidden keys is known.
  package init(hiding: HidingRule, nothing: Snapshot, hashSeed: @escaping @Sendable () -> HashSeed) {
    self.hiding = hiding
    self.nothing = nothing
    self.hashSeed = hashSeed
  }

  /// Composes the snapshot of a base under adjustments, in a context. If only one key changed (`change`), other entries
  /// are taken from the previous snapshot. Messages for the host are passed to `note`.
  ///
  /// - Throws: `.corrupt` for a damaged base; `.tooLarge`.
  mutating func compose(
    _ base: Image, _ origin: Origin, under adjustments: Adjustments, after change: KeyChange? = nil,
    in context: FilterContext, note: (LogLevel, String) -> Void
  ) throws(RemoraError) -> Snapshot {
    let own = try adjustments.compile(over: base, origin, after: change)
    let mayHide =
      switch hiding {
      case .filter: base.metadata.mayHaveFilters || !own.entries.isEmpty
      case .nulls: base.metadata.mayHaveFilters
      }
    guard mayHide || !own.entries.isEmpty else { return withoutOverlay(base, origin) }
    var entries = try layEntries(own.entries, over: base)
    var failures = 0
    // A key whose value is null counts as missing. A record is never null, but an override may be.
    if mayHaveNulls(base) || own.entries.contains(where: { $0.value.type == .null }) {
      entries.removeAll { $0.entry.value.type == .null }
    }
    if case .filter(let member) = hiding {
      let pass = filter.evaluate(
        entries, skipsBase: !base.metadata.mayHaveFilters, member: member, in: context)
      for message in pass.notes { note(message.level, message.text) }
      guard !pass.hidden.isEmpty || !own.entries.isEmpty else { return withoutOverlay(base, origin) }
      entries.remove(at: pass.hidden)
      failures = pass.failures
    }
    let overlay = try writeImage(base.metadata, entries: entries, hashSeed: hashSeed())
    return withExtendedLifetime(own) {
      Snapshot(base: base, overlay: overlay, origin: origin, filterFailures: failures)
    }
  }

  /// Whether a base may have keys whose value is null.
  private func mayHaveNulls(_ base: Image) -> Bool {
    if case .nulls = hiding { base.metadata.mayHaveFilters } else { false }
  }

  /// Returns the snapshot of a base without any changes.
  private func withoutOverlay(_ base: Image, _ origin: Origin) -> Snapshot {
    base === nothing.base ? nothing : Snapshot(base: base, origin: origin)
  }

  /// Composes the snapshot of a base under overrides, in a context.
  ///
  /// - Throws: `.corrupt` for a damaged base; `.tooLarge`.
  package mutating func compose(
    _ base: Image, _ origin: Origin, under overrides: OverrideList, in context: FilterContext
  ) throws(RemoraError) -> Snapshot {
    try compose(base, origin, under: Adjustments(overrides: overrides), in: context) { _, _ in }
  }

  /// Composes a snapshot that must exist: if composing fails, the snapshot has no keys, and the error is returned too.
  mutating func composeOrEmpty(
    _ base: Image, _ origin: Origin, under adjustments: Adjustments, in context: FilterContext,
    note: (LogLevel, String) -> Void
  ) -> (snapshot: Snapshot, problem: RemoraError?) {
    do throws(RemoraError) {
      return (try compose(base, origin, under: adjustments, in: context, note: note), nil)
    } catch {
      note(.error, "the data cannot be prepared for reading, so the source has no keys: \(error.message)")
      return (Snapshot(base: base, overlay: nothing.base, origin: origin), error)
    }
  }
}

extension [ImageEntry] {
  /// Removes the entries at `positions`, which are sorted.
  fileprivate mutating func remove(at positions: [Int]) {
    guard !positions.isEmpty else { return }
    var rest = positions[...]
    var kept: [ImageEntry] = []
    kept.reserveCapacity(count &- positions.count)
    for (index, entry) in enumerated() {
      if rest.first == index { rest.removeFirst() } else { kept.append(entry) }
    }
    self = kept
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
      "the filter of record \(record) cannot be evaluated; all records with this filter are hidden: \(error.message)"
    case .ignored(let record, let type, let others):
      "the filter of record \(record) is \(type), not a string, and is ignored"
        + (others > 0 ? "; the same applies to \(others) more records" : "")
    }
  }
}
