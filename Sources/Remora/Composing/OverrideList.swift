// SPDX-License-Identifier: Apache-2.0
//
// The overrides of one source, the highest adjustment of its snapshots.
// Invariant: sorted by key and pointer, each place once; so an override precedes those below it.

package struct OverrideList: Sendable, Equatable {
  package static let mostOverrides = 10_000

  /// All overrides, sorted by the bytes of key and pointer.
  package private(set) var all: [Override] = []

  package init() {}

  subscript(key: [UInt8]) -> ArraySlice<Override> { all[range(of: key)] }

  /// Adds an override, which replaces those at the same place and below it.
  ///
  /// - Throws: `.tooLarge` if there are too many.
  package mutating func set(_ override: Override) throws(RemoraError) {
    let range = range(of: override.key)
    var kept = all[range].filter { !$0.isAt(orBelow: override.pointer) }
    guard all.count &- range.count &+ kept.count < Self.mostOverrides else {
      throw RemoraError(.tooLarge, "a source can have at most \(Self.mostOverrides) overrides")
    }
    let place = kept.firstIndex { override.pointer.lexicographicallyPrecedes($0.pointer) }
    kept.insert(override, at: place ?? kept.endIndex)
    all.replaceSubrange(range, with: kept)
  }

  /// Removes the overrides at a place and below it.
  ///
  /// - Throws: `.notFound` if there are none.
  package mutating func clear(_ key: [UInt8], _ pointer: [UInt8]) throws(RemoraError) {
    let count = all.count
    remove(key, pointer)
    guard all.count < count else {
      let place = pointer.isEmpty ? "" : " at \(shown(pointer))"
      throw RemoraError(.notFound, "there is no override of key \"\(shown(key))\"\(place)")
    }
  }

  /// Removes the overrides at a place and below it, if any.
  mutating func remove(_ key: [UInt8], _ pointer: [UInt8]) {
    let range = range(of: key)
    all.replaceSubrange(range, with: all[range].filter { !$0.isAt(orBelow: pointer) })
  }

  private func range(of key: [UInt8]) -> Range<Int> {
    let start = firstPosition { !$0.key.lexicographicallyPrecedes(key) }
    let end = firstPosition(from: start) { $0.key != key }
    return start..<end
  }

  /// Returns the first position from `start` for which `holds` is true, by binary search.
  private func firstPosition(from start: Int = 0, _ holds: (Override) -> Bool) -> Int {
    var (low, high) = (start, all.count)
    while low < high {
      let middle = (low &+ high) / 2
      if holds(all[middle]) { high = middle } else { low = middle &+ 1 }
    }
    return low
  }
}

extension OverrideList {
  var keys: [[UInt8]] {
    var keys: [[UInt8]] = []
    for override in all where override.key != keys.last { keys.append(override.key) }
    return keys
  }

  func change(_ key: inout AdjustedKey) throws(RemoraError) {
    for override in self[key.key] {
      try override.json.withBytes { json throws(RemoraError) in try key.value.set(json, at: override.names) }
      key.origin = .override
    }
  }
}

extension Override {
  /// Whether the override is at a place of its key, or below.
  func isAt(orBelow place: [UInt8]) -> Bool { isPath(place, to: pointer) }

  /// Whether the override is at a place of its key, or above.
  func isAt(orAbove place: [UInt8]) -> Bool { isPath(pointer, to: place) }
}

/// Whether a JSON Pointer leads to a place above another one, or to the same place.
private func isPath(_ upper: [UInt8], to lower: [UInt8]) -> Bool {
  lower.starts(with: upper) && (lower.count == upper.count || lower[upper.count] == UInt8(ascii: "/"))
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
