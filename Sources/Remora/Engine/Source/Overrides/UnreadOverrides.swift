// SPDX-License-Identifier: Apache-2.0
//
// Stored overrides that could not be read when their source was opened. Meanwhile the host's changes apply in memory.
// When a later read succeeds, the stored overrides apply below these changes.

/// The places that were changed since a read of the stored overrides failed: set, cleared, or removed by a document.
struct UnreadOverrides: Sendable {
  private var changed: [OverridePlace] = []

  /// Starts with keys that a document removed.
  init(_ removed: [[UInt8]] = []) { add(removed) }

  /// Adds keys that a document removed.
  mutating func add(_ removed: [[UInt8]]) { for key in removed { add(OverridePlace(key, [])) } }

  /// Adds a place. The stored overrides at it and below it are obsolete.
  mutating func add(_ place: OverridePlace) {
    if !changed.contains(place) { changed.append(place) }
  }

  /// Merges the stored overrides, except obsolete ones, with those in memory, which take precedence.
  ///
  /// - Throws: `.tooLarge` if there are too many.
  func merge(_ stored: OverrideList, under current: OverrideList) throws(RemoraError) -> OverrideList {
    var merged = stored
    for place in changed { merged.remove(place.key, place.pointer) }
    for override in current.all { try merged.set(override) }
    return merged
  }
}
