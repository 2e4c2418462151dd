// SPDX-License-Identifier: Apache-2.0
//
// The memory of the entries of a decoded document, which becomes the memory of their image: the entries stay where the
// encoder wrote them.
// Invariant: room for the header of an image is at the beginning.

/// The memory of a document's entries, until an image takes it.
///
/// `@unchecked Sendable`: it moves with its document, and only the thread that compiles the document changes it.
package final class EntryMemory: @unchecked Sendable {
  /// The location of the bytes; empty after the image took them.
  package let region: UnsafeMutablePointer<Region>
  private var buffer: ByteBuffer?

  /// Takes ownership of the bytes of an encoder that left room for the header.
  init(_ encoder: consuming EntryEncoder) throws(RemoraError) {
    let buffer = encoder.intoBuffer()
    guard let base = buffer.bytes.baseAddress else { throw .bug("empty document") }
    region = .allocate(capacity: 1)
    region.initialize(to: Region(base: base, length: buffer.count))
    self.buffer = consume buffer
  }

  deinit { region.deallocate() }

  /// Returns entries of the encoder, sorted by the bytes of their keys.
  package func sortedEntries(at ranges: [EntryRange]) -> [Entry] {
    let entries = ranges.compactMap { Entry(at: UInt32(truncatingIfNeeded: $0.offset), in: UnsafePointer(region)) }
    let shared = lengthOfCommonPrefix(entries)
    var sorted = entries.map { SortedEntry($0, after: shared) }
    sorted.sort { $0.precedes($1) }
    return sorted.map(\.entry)
  }

  /// Whether entries of so many bytes, and the room for the header, are all that is in the memory.
  func isFilled(byEntriesOf length: Int) -> Bool { region.pointee.length == ImageFormat.headerSize &+ length }

  /// Returns the bytes, and empties the region; nil if they were taken before.
  func take() -> ByteBuffer? {
    region.pointee = Region(base: region.pointee.base, length: 0)
    return buffer.take()
  }
}

/// An entry with the first bytes in which its key may differ from others. They decide most comparisons, without a look
/// at the keys, which are far apart.
private struct SortedEntry {
  let entry: Entry
  private let first: UInt64
  private let second: UInt64

  init(_ entry: Entry, after shared: Int) {
    self.entry = entry
    first = entry.key.prefix(at: shared)
    second = entry.key.prefix(at: shared &+ 8)
  }

  @inline(__always)
  func precedes(_ other: SortedEntry) -> Bool {
    if first != other.first { return first < other.first }
    if second != other.second { return second < other.second }
    return compareBytes(entry.key, other.entry.key) < 0
  }
}

/// Returns how many bytes at the beginning of all keys are the same.
private func lengthOfCommonPrefix(_ entries: [Entry]) -> Int {
  guard let first = entries.first?.key else { return 0 }
  var shared = first.count
  for entry in entries {
    let key = entry.key
    shared = min(shared, key.count)
    if let different = (0..<shared).first(where: { key[$0] != first[$0] }) { shared = different }
  }
  return shared
}
