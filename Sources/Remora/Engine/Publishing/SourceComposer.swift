// SPDX-License-Identifier: Apache-2.0
//
// Composes the snapshots of a source from a base, its adjustments and the context of its client. A base that replaces
// the live one also changes the adjustments, before it is published: overrides that end are removed from the storage
// first.

/// A snapshot to be published. Only `SourceComposer` creates one, so every snapshot that becomes visible was composed.
struct ComposedSnapshot {
  let snapshot: Snapshot
  /// The adjustments that it was composed with, and that replace those of the source; nil if they are the same.
  let adjustments: Adjustments?
  /// The keys that its base removes, whose overrides end.
  let removedKeys: [[UInt8]]

  fileprivate init(snapshot: Snapshot, adjustments: Adjustments? = nil, removedKeys: [[UInt8]] = []) {
    (self.snapshot, self.adjustments, self.removedKeys) = (snapshot, adjustments, removedKeys)
  }
}

/// Composes the snapshots of a source, which `SourcePublisher` then makes visible.
final class SourceComposer: SourcePart, Sendable {
  let core: SourceCore
  /// Composes images with adjustments. It keeps evaluated filters.
  private let composition: Confined<Composition>

  init(_ core: SourceCore, _ composition: Composition) {
    self.core = core
    self.composition = Confined(composition)
  }

  /// Composes the snapshot of a publication; nil if nothing changes for readers.
  func compose(_ how: Composing, of arriving: Image?, _ exclusive: Exclusive) -> ComposedSnapshot? {
    switch how {
    case .arrivingLive: arriving.map { successor($0, exclusive) }
    case .arrivingStaged: arriving.map { ComposedSnapshot(snapshot: compose($0, .fetched, exclusive)) }
    case .stagedLive: staged(exclusive).map { activated($0, exclusive) }
    case .start: start(exclusive)
    case .restored(let origin): arriving.map { restored($0, origin, exclusive) }
    case .confirmed: (staged(exclusive) ?? live(exclusive)).confirmed.map { ComposedSnapshot(snapshot: $0) }
    }
  }

  /// Composes the snapshot of a base in the client's context, with the source's adjustments or with others. If that
  /// fails, the snapshot has no keys, and the source's storage error is set.
  private func compose(
    _ base: Image, _ origin: Origin, under adjustments: Adjustments? = nil, _ exclusive: Exclusive
  ) -> Snapshot {
    let adjustments = adjustments ?? core.snapshots[exclusive].adjustments
    let context = lock.withLock { services.state[$0].context }
    let (snapshot, problem) = composition.with(exclusive) {
      $0.composeOrEmpty(base, origin, under: adjustments, in: context) { note($0, $1) }
    }
    if let problem { lock.withLock { _ = core.apply(.storageFailed(problem), $0) } }
    return snapshot
  }

  /// Composes the live snapshot again, after the context has changed.
  func recompose(_ exclusive: Exclusive) -> ComposedSnapshot {
    let live = live(exclusive)
    return ComposedSnapshot(snapshot: compose(live.base, live.origin, exclusive))
  }

  /// Composes the staged snapshot again, after the adjustments or the context have changed; nil if there is none.
  func recomposeStaged(_ exclusive: Exclusive) -> ComposedSnapshot? {
    staged(exclusive).map { ComposedSnapshot(snapshot: compose($0.base, $0.origin, exclusive)) }
  }

  /// Returns the live snapshot over its base as verified packaged data.
  func verified(_ base: Image, _ exclusive: Exclusive) -> ComposedSnapshot {
    let live = live(exclusive)
    return ComposedSnapshot(
      snapshot: Snapshot(base: base, overlay: live.overlay, origin: live.origin, filterFailures: live.filterFailures))
  }

  /// Composes the snapshot of the live base with other adjustments. If only one key changed (`change`), other entries
  /// are taken from the live snapshot.
  ///
  /// - Throws: The errors of `Composition.compose`.
  func recompose(
    under adjustments: Adjustments, after change: KeyChange? = nil, in context: FilterContext, _ exclusive: Exclusive
  ) throws(RemoraError) -> ComposedSnapshot {
    let live = live(exclusive)
    let snapshot = try composition.with(exclusive) { composition throws(RemoraError) in
      try composition.compose(live.base, live.origin, under: adjustments, after: change, in: context) { note($0, $1) }
    }
    return ComposedSnapshot(snapshot: snapshot, adjustments: adjustments)
  }

  /// Composes the snapshot of an image that replaces the live one. Keys that it does not list may be carried over, and
  /// the overrides of keys that it removes end.
  private func successor(_ image: Image, _ exclusive: Exclusive) -> ComposedSnapshot {
    guard case .keepUnlisted = dialect.updates else {
      return ComposedSnapshot(snapshot: compose(image, .fetched, exclusive))
    }
    let (before, live) = (core.snapshots[exclusive].adjustments, live(exclusive))
    var next = before
    do throws(RemoraError) {
      next.carriedOver = try CarriedKeys(from: live.base, live.origin, under: before, to: image)
      let dropped = next.carriedOver.droppedCount
      if dropped > 0 { note(.warning, CarriedKeys.warning(dropped: dropped)) }
    } catch {
      note(.error, "keys that only the previous document contains cannot be kept, and are removed: \(error.message)")
      next.carriedOver = CarriedKeys()
    }
    let removed = dialect.updates.removedKeys(in: image, after: live.base)
    next.overrides.end(removed)
    return ComposedSnapshot(
      snapshot: compose(image, .fetched, under: next, exclusive), adjustments: next, removedKeys: removed)
  }

  /// Returns the snapshot with which a staged one becomes live: the same, unless keys may be carried over to it.
  private func activated(_ staged: Snapshot, _ exclusive: Exclusive) -> ComposedSnapshot {
    switch dialect.updates {
    case .replaceAll: ComposedSnapshot(snapshot: staged)
    case .keepUnlisted: successor(staged.base, exclusive)
    }
  }

  /// Composes the snapshot with which a source starts.
  private func start(_ exclusive: Exclusive) -> ComposedSnapshot {
    let (image, origin) = options.start(services.nothing)
    return restored(image, origin, exclusive)
  }

  /// Composes the snapshot of an image as an opening would, without keys that were carried over.
  private func restored(_ image: Image, _ origin: Origin, _ exclusive: Exclusive) -> ComposedSnapshot {
    var next = core.snapshots[exclusive].adjustments
    next.carriedOver = CarriedKeys()
    return ComposedSnapshot(snapshot: compose(image, origin, under: next, exclusive), adjustments: next)
  }
}
