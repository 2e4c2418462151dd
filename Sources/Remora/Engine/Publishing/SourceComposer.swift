// SPDX-License-Identifier: Apache-2.0
//
// Composes the snapshots of a source from a base, its layers and the context of its client. A base that replaces the live
// one also changes the layers, before it is published: overrides that end are removed from the storage first.

/// A snapshot to be published. Only `SourceComposer` creates one, so every snapshot that becomes visible was composed.
struct Candidate {
  let snapshot: Snapshot

  fileprivate init(_ snapshot: Snapshot) { self.snapshot = snapshot }
}

/// Composes the snapshots of a source, and changes its layers to those of a new base.
final class SourceComposer: SourcePart, Sendable {
  let core: SourceCore
  private let overrides: OverridesStore
  /// Composes images with layers.
  private let composition: Confined<Composition>

  init(_ core: SourceCore, _ overrides: OverridesStore, _ composition: Composition) {
    self.core = core
    self.overrides = overrides
    self.composition = Confined(composition)
  }

  /// Composes the snapshot of a publication, whose layers become those of the source; nil if nothing changes for readers.
  func compose(_ how: Composing, of arriving: Image?, _ right: Exclusive) -> Candidate? {
    let snapshot =
      switch how {
      case .arrivingLive: arriving.map { composeSuccessor($0, right) }
      case .arrivingStaged: arriving.map { layered($0, .fetched, right) }
      case .stagedLive: staged(right).map { activated($0, right) }
      case .start: composeStart(right)
      case .confirmed: (staged(right) ?? live(right)).confirmed
      }
    return snapshot.map(Candidate.init)
  }

  /// Composes the snapshot of a base under this source's layers, in the client's context. If that fails, the snapshot
  /// has no keys, and the source's storage error is set.
  private func layered(_ base: Image, _ origin: Origin, _ right: Exclusive) -> Snapshot {
    let layers = core.snapshots[right].layers
    let context = lock.withLock { services.state[$0].context }
    let (snapshot, problem) = composition.with(right) {
      $0.composeOrEmpty(base, origin, under: layers, in: context) { note($0, $1) }
    }
    if let problem { lock.withLock { _ = core.apply(.storageFailed(problem), $0) } }
    return snapshot
  }

  /// Composes the live snapshot again, after the context has changed.
  func recompose(_ right: Exclusive) -> Candidate {
    let live = live(right)
    return Candidate(layered(live.base, live.origin, right))
  }

  /// Returns the live snapshot over its base as verified packaged data.
  func verified(_ base: Image, _ right: Exclusive) -> Candidate {
    let live = live(right)
    return Candidate(
      Snapshot(base: base, overlay: live.overlay, origin: live.origin, filterFailures: live.filterFailures))
  }

  /// Composes the snapshot of the live base under other layers. If only one key changed (`change`), other entries are
  /// taken from the live snapshot.
  ///
  /// - Throws: The errors of `Composition.compose`.
  func recompose(
    under layers: Layers, after change: LayerChange? = nil, in context: FilterContext, _ right: Exclusive
  ) throws(RemoraError) -> Candidate {
    let live = live(right)
    return try composition.with(right) { composition throws(RemoraError) in
      Candidate(
        try composition.compose(live.base, live.origin, under: layers, after: change, in: context) { note($0, $1) })
    }
  }

  /// Changes the layers to those of an image that replaces the live one, and composes its snapshot. Keys that it does not
  /// list may be carried over, and the overrides of keys that it removes end.
  private func composeSuccessor(_ image: Image, _ right: Exclusive) -> Snapshot {
    guard case .keepUnlisted = dialect.updates else { return layered(image, .fetched, right) }
    let (before, live) = (core.snapshots[right].layers, live(right))
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
    let isChanged = next.overrides.end(removed)
    lock.withLock { locked in
      core.snapshots[right, locked].layers = next
      overrides.file[locked].noteRemoved(removed, isChange: isChanged && options.persistsOverrides)
    }
    return layered(image, .fetched, right)
  }

  /// Returns the snapshot with which a staged one becomes live: the same, unless keys may be carried over to it.
  private func activated(_ staged: Snapshot, _ right: Exclusive) -> Snapshot {
    switch dialect.updates {
    case .replaceAll: staged
    case .keepUnlisted: composeSuccessor(staged.base, right)
    }
  }

  /// Removes the keys that were carried over from the layers, and composes the snapshot with which a source starts.
  private func composeStart(_ right: Exclusive) -> Snapshot {
    lock.withLock { locked in core.snapshots[right, locked].layers.carriedOver = CarriedKeys() }
    let (image, origin) = options.start(services.nothing)
    return layered(image, origin, right)
  }

  /// Composes the staged snapshot again, after the layers or the context have changed.
  func recomposeStaged(_ right: Exclusive) {
    guard let old = staged(right) else { return }
    let new = layered(old.base, old.origin, right)
    lock.withLock { locked in core.snapshots[right, locked].staged = new }
    withExtendedLifetime(old) {}
  }
}
