// SPDX-License-Identifier: Apache-2.0
//
// The snapshots of a source: composed of a base, its layers and the context of its client.

extension Source {
  /// The snapshot of a publication; nil when nothing changes for readers.
  func compose(_ how: Composing, _ right: borrowing Exclusive) -> Snapshot? {
    switch how {
    case .successor: return desk.read(right, \.arriving).map { composeSuccessor($0, right) }
    case .waiting: return desk.read(right, \.arriving).map { compose($0, .fetched, right) }
    case .staged: return staged(right).map { composeSuccessor(staged: $0, right) }
    case .start: return composeStart(right)
    case .confirmed: return (staged(right) ?? live(right)).confirmed
    }
  }

  /// The snapshot of a base under this source's layers, in the client's context.
  func compose(_ base: Image, _ origin: Origin, _ right: borrowing Exclusive) -> Snapshot {
    let (layers, context) = (snapshots.read(right, \.layers), lock.withLock { services.state.read($0, \.context) })
    return desk.with(right) {
      $0.composition.composeOrHide(base, origin, under: layers, in: context) { note($0, $1) }
    }
  }

  /// The snapshot of an image that takes the place of the live one. Keys that it does not list may be carried over, and
  /// the overrides of keys that it removes end.
  private func composeSuccessor(_ image: Image, _ right: borrowing Exclusive) -> Snapshot {
    guard case .keepUnlisted = dialect.updates else { return compose(image, .fetched, right) }
    let (before, live) = (snapshots.read(right, \.layers), live(right))
    var next = before
    do throws(RemoraError) {
      next.carriedOver = try CarriedKeys(from: live.base, live.origin, under: before, to: image)
    } catch {
      note(.error, "what the new document does not list is not carried over: \(error.message)")
      next.carriedOver = CarriedKeys()
    }
    let removed = dialect.updates.removedKeys(in: image, after: live.base)
    let isChanged = next.overrides.end(removed)
    lock.withLock { locked in
      snapshots.change(right, locked) { $0.layers = next }
      state.with(locked) {
        $0.overridesFile.noteRemoved(removed, isChange: isChanged && options.persistsOverrides)
      }
    }
    return compose(image, .fetched, right)
  }

  /// The same for a staged one: it is itself what it was composed to, unless keys are carried over to it.
  private func composeSuccessor(staged: Snapshot, _ right: borrowing Exclusive) -> Snapshot {
    switch dialect.updates {
    case .replaceAll: staged
    case .keepUnlisted: composeSuccessor(staged.base, right)
    }
  }

  private func composeStart(_ right: borrowing Exclusive) -> Snapshot {
    lock.withLock { locked in snapshots.change(right, locked) { $0.layers.carriedOver = CarriedKeys() } }
    let (image, origin) = options.start(services.nothing)
    return compose(image, origin, right)
  }

  /// Composes everything anew, after the client's context has changed.
  func recompose(_ right: borrowing Exclusive) {
    recomposeStaged(right)
    let old = live(right)
    let new = compose(old.base, old.origin, right)
    let isVisible = differs(old, new)
    guard isVisible || new.filterFailures != old.filterFailures else { return }
    desk.set(right, \.candidate, to: new)
    handle(.recomposed(.context, isVisible: isVisible), right)
  }

  /// Publishes a snapshot whose overrides differ from those of the live one.
  func publish(overridden new: Snapshot, _ right: borrowing Exclusive) {
    desk.set(right, \.candidate, to: new)
    handle(.recomposed(.override, isVisible: differs(live(right), new)), right)
    recomposeStaged(right)
  }

  /// Composes what is staged anew, after the layers or the context have changed.
  private func recomposeStaged(_ right: borrowing Exclusive) {
    guard let old = staged(right) else { return }
    let new = compose(old.base, old.origin, right)
    lock.withLock { locked in snapshots.change(right, locked) { $0.staged = new } }
    withExtendedLifetime(old) {}
  }

  /// Whether a reader sees a difference.
  private func differs(_ old: Snapshot, _ new: Snapshot) -> Bool {
    var isChanged = false
    diff(old.reader.pointee, new.reader.pointee) { _ in
      isChanged = true
      return false
    }
    return isChanged
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

extension SourceOptions {
  /// What is live without any fetched data: the packaged data, the defaults, or nothing.
  func start(_ nothing: Snapshot) -> (image: Image, origin: Origin) {
    if let packaged { return (packaged.image, .packaged) }
    return defaults.map { ($0.image, .defaults) } ?? (nothing.base, .none)
  }
}
