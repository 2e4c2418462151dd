// SPDX-License-Identifier: Apache-2.0
//
// What a new document does to the layers before it becomes live: keys that it does not list are carried over, and the
// overrides of keys that it removes end; also at the open that makes it live. In jobs only, but for that.

extension Source {
  /// The snapshot of an image that takes the place of the live one.
  func compose(successor image: Image) -> Snapshot {
    guard dialect.keepsUnlisted else { return compose(image, .fetched) }
    let before = lock.withLock { layers }
    var next = before
    do throws(RemoraError) {
      next.carriedOver = try CarriedKeys(from: live.base, live.origin, under: before, to: image)
    } catch {
      note(.error, "what the new document does not list is not carried over: \(error.message)")
      next.carriedOver = CarriedKeys()
    }
    next.overrides.end(removedBy: image, after: live.base)
    lock.withLock {
      layers = next
      if next.overrides != before.overrides { owesOverrides = persistsOverrides }
    }
    return compose(image, .fetched)
  }

  /// The same for one that was staged; it is itself what it was composed to, unless keys are carried over to it.
  func compose(successor staged: Snapshot) -> Snapshot {
    dialect.keepsUnlisted ? compose(successor: staged.base) : staged
  }
}

extension OverrideList {
  /// Ends those of keys that a document removes, and the one before it did not. Returns whether there were any.
  @discardableResult
  mutating func end(removedBy image: Image, after before: Image?) -> Bool {
    let removed = keys.filter { $0.withBytes { image.removes($0) && before?.removes($0) != true } }
    for key in removed { clear(allOf: key) }
    return !removed.isEmpty
  }
}

extension Image {
  /// Whether the document removed a key.
  func removes(_ key: UnsafeRawBufferPointer) -> Bool { reader(over: nil).entry(key)?.value.type == .null }
}
