// SPDX-License-Identifier: Apache-2.0
//
// A source and its overrides: set, cleared, listed, stored. A change is composed like everything else that becomes live,
// and is live when the call returns. While the stored overrides cannot be read, changes are in memory only.

extension Source {
  /// Sets an override.
  ///
  /// - Parameter ifExists: Whether to set the override only if the live snapshot has its key.
  /// - Throws: `.wrongType` when something on its way is no object, `.notFound` for a missing key, `.tooLarge`, `.closed`;
  ///   nothing was changed.
  package func set(_ override: Override, ifExists: Bool = false) throws(RemoraError) {
    attendIfUnattended()
    try change(at: OverridePlace(override.key, override.pointer)) { (layers, right) throws(RemoraError) in
      let live = live(right)
      guard !ifExists || override.key.withBytes({ live.reader.pointee.entry($0) != nil }) else {
        throw RemoraError(.notFound, "there is no key \"\(shown(override.key))\"; its override is not set")
      }
      try requireObjects(on: override, under: layers, right)
      try layers.overrides.set(override)
    }
  }

  /// Clears the override at a place and those below it.
  ///
  /// - Throws: `.notFound`, `.invalidArgument` for the pointer, `.closed`; nothing was changed.
  package func clearOverride(_ key: [UInt8], _ pointer: [UInt8]) throws(RemoraError) {
    _ = try Override.names(of: pointer)
    try change(at: OverridePlace(key, pointer)) { (layers, _) throws(RemoraError) in
      do throws(RemoraError) {
        try layers.overrides.clear(key, pointer)
      } catch {
        // Overrides that are not read yet may include it.
        if lock.withLock({ state.read($0, \.overridesFile.unread) }) == nil { throw error }
      }
    }
  }

  /// Clears all overrides.
  package func clearOverrides() throws(RemoraError) {
    try change(at: nil) { (layers, _) throws(RemoraError) in layers.overrides = OverrideList() }
  }

  /// The overrides of now.
  package func overrides() throws(RemoraError) -> OverrideList {
    try lock.withLock { locked throws(RemoraError) in
      try requireOpen(locked)
      return snapshots.read(locked, \.layers.overrides)
    }
  }

  /// Changes the layers at one place or everywhere, publishes the result, and stores the overrides if required.
  private func change(
    at place: OverridePlace?, _ change: (inout Layers, borrowing Exclusive) throws(RemoraError) -> Void
  ) throws(RemoraError) {
    try runtime.worker.perform { right throws(RemoraError) in
      rereadOverrides(right)
      let context = try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        return services.state.read(locked, \.context)
      }
      let (before, live) = (snapshots.read(right, \.layers), live(right))
      var next = before
      try change(&next, right)
      guard next.overrides != before.overrides else {
        return lock.withLock { state.with($0) { $0.overridesFile.noteChange(at: place, isStored: false) } }
      }
      let new = try desk.with(right) { desk throws(RemoraError) in
        try desk.composition.compose(
          live.base, live.origin, under: next, after: place.map { LayerChange(key: $0.key, last: live) }, in: context
        ) { note($0, $1) }
      }
      lock.withLock { locked in
        snapshots.change(right, locked) { $0.layers = next }
        state.with(locked) { $0.overridesFile.noteChange(at: place, isStored: options.persistsOverrides) }
      }
      publish(overridden: new, right)
    }
    let file = lock.withLock { state.read($0, \.overridesFile) }
    if file.unread != nil, let problem = file.problem {
      noteStorage(problem, "the overrides hold for this process only")
    }
    storeOverrides(patienceMs: 5000)
  }

  /// Checks that an override passes through objects only. Null counts as missing.
  private func requireObjects(
    on override: Override, under layers: Layers, _ right: borrowing Exclusive
  ) throws(RemoraError) {
    // Nothing is on the way to the whole value.
    guard !override.names.isEmpty else { return }
    let live = live(right)
    let obstacle = try layers.read(override.key, over: live.base, live.origin) { value in
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

  /// Stores the overrides of now, unless they are; what this comes to can be seen in the source's info. While another
  /// process stores its own, waits for at most `patienceMs`; without any, the next call tries again.
  func storeOverrides(patienceMs: Int64) {
    guard lock.withLock({ state.read($0, \.overridesFile.isOutdated) }) else { return }
    do throws(RemoraError) {
      guard let storage = try requireStorage() else { return }
      guard let filesLock = try storage.lock(name.ofOverrides, withinMs: patienceMs, waitingOn: lock) else {
        guard patienceMs > 0 else { return }
        throw RemoraError(.storage, "another process is storing its overrides of this source")
      }
      defer { filesLock.unlock() }
      // The newest list, whoever changed it last: the lock keeps the writers of this process apart as well.
      let list = lock.withLock { snapshots.read($0, \.layers.overrides) }
      // No file would let those of an earlier identity come back.
      let mayRemove = list.all.isEmpty && dialect.earlierIdentities.isEmpty
      let image = mayRemove ? nil : try list.image(of: dialect.identity, hashSeed: storage.hashSeed)
      try filesLock.commitOverrides(image?.buffer, of: name)
      lock.withLock { locked in
        forgetOverridesProblem(locked)
        let isCurrent = snapshots.read(locked, \.layers.overrides) == list
        state.with(locked) { $0.overridesFile.noteStored(isCurrent: isCurrent) }
      }
    } catch {
      lock.withLock { state.with($0) { _ = $0.overridesFile.noteFailure(error) } }
      noteStorage(error, "the overrides hold for this process only")
    }
  }

  /// Forgets the storage's last failure if it was about the overrides.
  func forgetOverridesProblem(_ locked: borrowing Locked) {
    if let problem = state.read(locked, \.overridesFile.problem) { _ = take(.storageWorks(since: problem), locked) }
  }
}
