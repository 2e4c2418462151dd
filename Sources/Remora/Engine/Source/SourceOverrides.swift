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
    try change(at: (override.key, override.pointer)) { (layers, right) throws(RemoraError) in
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
    try change(at: (key, pointer)) { (layers, _) throws(RemoraError) in
      do throws(RemoraError) {
        try layers.overrides.clear(key, pointer)
      } catch {
        // Overrides that are not read yet may include it.
        if lock.withLock({ _ in unreadOverrides == nil }) { throw error }
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
      return layers.overrides
    }
  }

  /// Changes the layers at one place or everywhere, publishes the result, and stores the overrides if required.
  private func change(
    at place: (key: [UInt8], pointer: [UInt8])?,
    _ change: (inout Layers, borrowing Exclusive) throws(RemoraError) -> Void
  ) throws(RemoraError) {
    try runtime.worker.perform { right throws(RemoraError) in
      rereadOverrides(right)
      let (before, context) = try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        return (layers, client.state.read(locked, \.context))
      }
      var next = before
      try change(&next, right)
      guard next.overrides != before.overrides else { return noteUnreadChange(at: place) }
      let new = try composition.compose(
        live.base, live.origin, under: next, after: place.map { LayerChange(key: $0.key, last: live) }, in: context
      ) { note($0, $1) }
      lock.withLock { _ in
        layers = next
        owesOverrides = persistsOverrides
      }
      noteUnreadChange(at: place)
      publish(overridden: new, right)
    }
    if let problem = lock.withLock({ _ in unreadOverrides == nil ? nil : overridesProblem }) {
      noteStorage(problem, "the overrides hold for this process only")
    }
    storeOverrides(patienceMs: 5000)
  }

  /// Notes a change beside stored overrides that could not be read. After a change of all, they are not needed any more.
  private func noteUnreadChange(at place: (key: [UInt8], pointer: [UInt8])?) {
    lock.withLock { _ in
      guard unreadOverrides != nil else { return }
      if let place {
        unreadOverrides?.change(place.key, place.pointer)
      } else {
        unreadOverrides = nil
        owesOverrides = true
      }
    }
  }

  /// Publishes a snapshot whose overrides differ from those of the live one.
  func publish(overridden new: Snapshot, _ right: borrowing Exclusive) {
    let isVisible = differs(live, new)
    publish(new, ledger, right) { old, new, _ in
      isVisible ? Event(.override, old: old, new: new, storageError: storageError) : nil
    }
    recomposeStaged(right)
  }

  /// Checks that an override passes through objects only. Null counts as missing.
  private func requireObjects(
    on override: Override, under layers: Layers, _ right: borrowing Exclusive
  ) throws(RemoraError) {
    // Nothing is on the way to the whole value.
    guard !override.names.isEmpty else { return }
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
    guard lock.withLock({ _ in owesOverrides && unreadOverrides == nil }) else { return }
    let deadline = monotonicMs() + patienceMs
    do throws(RemoraError) {
      guard let storage = try requireStorage() else { return }
      while true {
        if let filesLock = try storage.tryLock(name.ofOverrides) {
          defer { filesLock.unlock() }
          // The newest list, whoever changed it last: the lock keeps the writers of this process apart as well.
          let list = lock.withLock { _ in layers.overrides }
          // No file would let those of an earlier identity come back.
          let mayRemove = list.all.isEmpty && dialect.earlierIdentities.isEmpty
          let image = mayRemove ? nil : try list.image(of: dialect.identity, hashSeed: storage.hashSeed)
          try filesLock.commitOverrides(image?.buffer, of: name)
          return lock.withLock { _ in
            owesOverrides = layers.overrides != list
            endingKeys = []
            if storageError == overridesProblem { storageError = nil }
            overridesProblem = nil
          }
        }
        guard patienceMs > 0 else { return }
        guard monotonicMs() < deadline else {
          throw RemoraError(.storage, "another process is storing its overrides of this source")
        }
        _ = lock.withLock { lock.wait(untilMonotonicMs: monotonicMs() + 5, $0) }
      }
    } catch {
      lock.withLock { _ in overridesProblem = error }
      noteStorage(error, "the overrides hold for this process only")
    }
  }
}
