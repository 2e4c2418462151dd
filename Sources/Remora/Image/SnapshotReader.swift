// SPDX-License-Identifier: Apache-2.0
//
// The index of a snapshot, optimised for reads: one hash, about two probes, no allocation, copy, lock or reference
// count. Plain memory, so that a C handle can point at it.
// Invariant: the tables are inside their image; entries are checked when they are followed.

internal import CSupport

/// The effective index of a snapshot, and the one or two images to which its references lead.
package struct SnapshotReader {
  /// The image with the index: the overlay if one exists, else the base.
  let first: UnsafePointer<Region>
  /// The base below an overlay; else the same as `first`.
  let second: UnsafePointer<Region>
  let slots: UnsafeRawPointer
  let order: UnsafeRawPointer
  let slotCount: Int
  /// The bits of a slot that are a reference.
  let referenceMask: UInt32
  let seed: UInt64
  package let count: Int

  /// Returns the entry of a key.
  ///
  /// - Complexity: one hash and about two probes; in a damaged image at most one pass through the table.
  @inline(never)
  package func entry(_ key: UnsafeRawBufferPointer) -> Entry? { inlinedEntry(key) }

  /// Does the same without a call, for frequent reads.
  @inline(__always)
  func inlinedEntry(_ key: UnsafeRawBufferPointer) -> Entry? {
    let hash = KeyHash(hashOfKey(key, seed: seed))
    var slot = hash.firstSlot(of: slotCount)
    for _ in 0..<slotCount {
      let content = (slots + slot &* ImageFormat.slotSize).load(as: UInt32.self)
      if content == 0 { return nil }
      if (content ^ hash.fingerprint) & ~referenceMask == 0, let entry = resolve(content & referenceMask) {
        let found = entry.key
        if found.count == key.count, isEqual(found, key) { return entry }
      }
      slot = slot &+ 1 == slotCount ? 0 : slot &+ 1
    }
    return nil
  }

  /// Returns the entry at a position in the order of keys. Loads a later entry into the cache, because entries that
  /// follow each other in this order can be far apart.
  @inline(__always)
  package func entry(at index: Int) -> Entry? {
    if index >= 0, index < count &- Self.entriesAhead { prefetch(at: index &+ Self.entriesAhead) }
    guard index >= 0, index < count, let entry = resolve((order + index &* 4).load(as: UInt32.self)), entry.isKeyEnded
    else { return nil }
    return entry
  }

  /// How many entries ahead are loaded into the cache.
  private static var entriesAhead: Int { 8 }

  @inline(__always)
  private func prefetch(at index: Int) {
    let (offset, region) = place((order + index &* 4).load(as: UInt32.self))
    remora_prefetch(region.pointee.base + Int(offset))
  }

  @inline(__always)
  private func resolve(_ reference: UInt32) -> Entry? {
    let (offset, region) = place(reference)
    return Entry(at: offset, in: region)
  }

  @inline(__always)
  private func place(_ reference: UInt32) -> (offset: UInt32, region: UnsafePointer<Region>) {
    (reference >> 1 &* 8, reference & ImageFormat.secondRegion == 0 ? first : second)
  }
}
