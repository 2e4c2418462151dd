// SPDX-License-Identifier: Apache-2.0
//
// The index of a snapshot, optimised for reads: one hash, about one probe, no allocation, copy, lock or reference
// count. Plain memory, so that a C handle can point at it.
// Invariant: the tables are inside their image; entries are checked when they are followed.

internal import CSupport
internal import Glibc

/// The effective index of a snapshot, and the one or two images to which its references lead.
package struct SnapshotReader {
  /// The image with the index: the overlay if one exists, else the base.
  let first: UnsafePointer<Region>
  /// The base below an overlay; else the same as `first`.
  let second: UnsafePointer<Region>
  let slots: UnsafeRawPointer
  let order: UnsafeRawPointer
  let mask: UInt64
  let seed: UInt64
  package let count: Int

  /// Returns the entry of a key.
  ///
  /// - Complexity: one hash and about one probe; in a damaged image at most one pass through the table.
  @inline(__always)
  package func entry(_ key: UnsafeRawBufferPointer) -> Entry? {
    let hash = hashOfKey(key, seed: seed)
    let fingerprint = UInt32(truncatingIfNeeded: hash >> 32)
    var slot = hash & mask
    var probes: UInt64 = 0
    while probes <= mask {
      let at = slots + Int(truncatingIfNeeded: slot) &* ImageFormat.slotSize
      let reference = at.load(fromByteOffset: 4, as: UInt32.self)
      if reference == 0 { return nil }
      if at.load(as: UInt32.self) == fingerprint, let entry = resolve(reference) {
        let found = entry.key
        if found.count == key.count, equal(found, key) { return entry }
      }
      slot = (slot &+ 1) & mask
      probes &+= 1
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
    let reference = (order + index &* 4).load(as: UInt32.self)
    let region = reference & ImageFormat.secondRegion == 0 ? first : second
    remora_prefetch(region.pointee.base + Int(reference & ~ImageFormat.secondRegion))
  }

  @inline(__always)
  private func resolve(_ reference: UInt32) -> Entry? {
    if reference & ImageFormat.secondRegion == 0 { return Entry(at: reference, in: first) }
    return Entry(at: reference & ~ImageFormat.secondRegion, in: second)
  }
}

/// Whether two byte sequences of equal length are the same. Compares words, the last of which may overlap, because a
/// call of memcmp costs as much as the rest of a look-up.
@inline(__always)
private func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return left.count == right.count }
  let last = left.count &- 8
  guard last >= 0 else { return memcmp(leftStart, rightStart, left.count) == 0 }
  var offset = 0
  while offset < last {
    guard word(leftStart, offset) == word(rightStart, offset) else { return false }
    offset &+= 8
  }
  return word(leftStart, last) == word(rightStart, last)
}

@inline(__always)
private func word(_ start: UnsafeRawPointer, _ offset: Int) -> UInt64 {
  start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
}
