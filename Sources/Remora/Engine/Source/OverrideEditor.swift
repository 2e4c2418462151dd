// SPDX-License-Identifier: Apache-2.0
//
// Sets, clears, lists and stores the overrides of a source. A change is composed to a new snapshot, which is live when
// the call returns. While the stored overrides cannot be read, changes are in memory only.

struct OverrideEditor: SourcePart, Sendable {
  private let publisher: SourcePublisher
  private let store: OverridesStore

  init(_ publisher: SourcePublisher, _ store: OverridesStore) {
    self.publisher = publisher
    self.store = store
  }

  var core: SourceCore { publisher.core }

  /// Sets an override.
  ///
  /// - Parameter ifExists: Whether to set the override only if readers can see data of its key.
  /// - Throws: `.wrongType` if a value on its path is not an object, `.notFound` for a missing key, `.tooLarge`,
  ///   `.closed`; nothing was changed.
  func set(_ override: Override, ifExists: Bool = false) throws(RemoraError) {
    try change(at: OverridePlace(override.key, override.pointer)) { (adjustments, exclusive) throws(RemoraError) in
      guard !ifExists || hasData(override.key, under: adjustments, exclusive) else {
        throw RemoraError(
          .notFound,
          "cannot set an override: this call needs a key with data, but key \"\(shown(override.key))\" has no data")
      }
      try requireObjects(on: override, under: adjustments, exclusive)
      try adjustments.overrides.set(override)
    }
  }

  /// Clears the overrides at a place and below it.
  ///
  /// - Throws: `.notFound`, `.invalidArgument` for the pointer, `.closed`; nothing was changed.
  func clear(_ key: [UInt8], _ pointer: [UInt8]) throws(RemoraError) {
    _ = try Override.names(of: pointer)
    try change(at: OverridePlace(key, pointer)) { (adjustments, _) throws(RemoraError) in
      do throws(RemoraError) {
        try adjustments.overrides.clear(key, pointer)
      } catch {
        // Stored overrides that could not be read yet may include it.
        if lock.withLock({ store.file[$0].unread }) == nil { throw error }
      }
    }
  }

  func clearAll() throws(RemoraError) {
    try change(at: nil) { (adjustments, _) throws(RemoraError) in adjustments.overrides = OverrideList() }
  }

  func list() throws(RemoraError) -> OverrideList {
    try lock.withLock { locked throws(RemoraError) in
      try requireOpen(locked)
      return core.snapshots[locked].adjustments.overrides
    }
  }

  /// Changes the adjustments at one place or everywhere, publishes the result, and stores the overrides if required.
  private func change(
    at place: OverridePlace?, _ change: (inout Adjustments, Exclusive) throws(RemoraError) -> Void
  ) throws(RemoraError) {
    try runtime.worker.perform { exclusive throws(RemoraError) in
      reread(exclusive)
      let context = try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        return services.state[locked].context
      }
      let (before, live) = (core.snapshots[exclusive].adjustments, live(exclusive))
      var next = before
      try change(&next, exclusive)
      guard next.overrides != before.overrides else {
        return lock.withLock { store.file.with($0) { $0.noteChange(at: place, isStored: false) } }
      }
      let new = try publisher.composer.recompose(
        under: next, after: place.map { KeyChange(key: $0.key, last: live) }, in: context, exclusive)
      publisher.publish(overridden: new, exclusive) { locked in
        store.file[locked].noteChange(at: place, isStored: options.persistsOverrides)
      }
    }
    let file = lock.withLock { store.file[$0] }
    if file.unread != nil, let problem = file.problem {
      noteStorage(problem, "the overrides are used in this process only")
    }
    store.write(withinMs: 5000)
  }

  /// Whether readers can see data of a key. A key that consists of overrides only does not count: it would keep a
  /// removed namespace alive, because its stored overrides create it again at each start.
  private func hasData(_ key: [UInt8], under adjustments: Adjustments, _ exclusive: Exclusive) -> Bool {
    let live = live(exclusive)
    return key.withBytes { bytes in
      guard live.reader.pointee.entry(bytes) != nil else { return false }
      guard let entry = live.base.reader(over: nil).entry(bytes) else { return adjustments.carriedOver.has(key) }
      return entry.value.type != .null
    }
  }

  /// Checks that the path of an override contains only objects. Null counts as missing.
  private func requireObjects(
    on override: Override, under adjustments: Adjustments, _ exclusive: Exclusive
  ) throws(RemoraError) {
    // An override of the whole value has no path.
    guard !override.names.isEmpty else { return }
    let live = live(exclusive)
    let obstacle = try adjustments.read(override.key, over: live.base, live.origin) { value in
      value?.obstacle(on: override.names.dropLast())
    }
    guard let obstacle else { return }
    let names = override.pointer.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let place = Array(names[...obstacle.depth].joined(separator: [UInt8(ascii: "/")]))
    throw RemoraError(
      .wrongType,
      "key \"\(shown(override.key))\"\(place.isEmpty ? "" : " at \(shown(place))") is \(obstacle.type.name), not an object"
    )
  }

  // MARK: Reading again

  /// Reads the stored overrides again if the last attempt failed, and publishes them below the host's changes.
  func reread(_ exclusive: Exclusive) {
    let (unread, context) = lock.withLock { locked in
      let unread = core.state[locked].isEnded ? nil : store.file[locked].unread
      return (unread, services.state[locked].context)
    }
    guard let unread else { return }
    let before = core.snapshots[exclusive].adjustments
    let stored = StoredOverrides(of: dialect, in: storage)
    do throws(RemoraError) {
      if stored.isUnread, let problem = stored.problem { throw problem }
      var next = before
      next.overrides = try unread.merge(stored.list, under: before.overrides)
      let isCurrent = !stored.isInherited && next.overrides == stored.list
      let new = try publisher.composer.recompose(under: next, in: context, exclusive)
      if let problem = stored.problem { note(.warning, "\(problem.message); the stored overrides will be replaced") }
      publisher.publish(overridden: new, exclusive) { locked in
        store.forgetProblem(locked)
        store.file[locked].noteRead(isCurrent: isCurrent, problem: stored.problem)
        if let problem = stored.problem { _ = core.apply(.storageFailed(problem), locked) }
      }
      store.write(withinMs: 0)
    } catch {
      noteUnread(error)
    }
  }

  /// Records a failed read, and logs each reason once.
  private func noteUnread(_ error: RemoraError) {
    let isNew = lock.withLock { locked in
      if core.state[locked].data.problems.storage == nil { _ = core.apply(.storageFailed(error), locked) }
      return store.file[locked].noteFailure(error)
    }
    if isNew { note(.warning, "the stored overrides cannot be read; Remora will retry later: \(error.message)") }
  }
}
