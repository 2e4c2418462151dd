// SPDX-License-Identifier: Apache-2.0
//
// Entries into the order of their keys. Keys are compared eight bytes at a time, as numbers that lie beside each other:
// thousands of calls of memcmp on keys all over the memory would cost as much as a tenth of a refresh.

/// Sorts entries by the bytes of their keys, which have no NUL; equal keys end up beside each other.
package func sortByKey(_ entries: inout [Entry]) {
  let isSorted = zip(entries, entries.dropFirst()).allSatisfy { compareBytes($0.key, $1.key) <= 0 }
  if isSorted { return }
  var words = entries.map { EntryWord(word: word(of: $0.key, at: 0), entry: $0) }
  words.withUnsafeMutableBufferPointer { sort($0, depth: 0) }
  entries = words.map(\.entry)
}

/// An entry with the eight bytes of its key that are being compared, the first one highest.
private struct EntryWord {
  var word: UInt64
  let entry: Entry
}

/// Keys that are the same up to here are compared whole, so that nobody's keys make the recursion deep.
private let deepest = 64

/// Sorts entries whose keys are the same up to a depth, and then those that are the same eight bytes further.
private func sort(_ run: UnsafeMutableBufferPointer<EntryWord>, depth: Int) {
  var items = run
  guard depth < deepest else { return items.sort { compareBytes($0.entry.key, $1.entry.key) < 0 } }
  items.sort { $0.word < $1.word }
  var start = 0
  while start < items.count {
    let word = items[start].word
    var end = start &+ 1
    while end < items.count, items[end].word == word { end &+= 1 }
    // A zero at the end is behind the key's last byte: such keys are equal.
    if end &- start > 1, word & 0xFF != 0 {
      let run = UnsafeMutableBufferPointer(rebasing: items[start..<end])
      for index in run.indices { run[index].word = Remora.word(of: run[index].entry.key, at: depth &+ 8) }
      sort(run, depth: depth &+ 8)
    }
    start = end
  }
}

/// Eight bytes of a key as a number that compares as they do; zeros behind its end.
private func word(of key: UnsafeRawBufferPointer, at depth: Int) -> UInt64 {
  if depth &+ 8 <= key.count { return UInt64(bigEndian: key.loadUnaligned(fromByteOffset: depth, as: UInt64.self)) }
  var word: UInt64 = 0
  for index in depth..<depth &+ 8 { word = word << 8 | (index < key.count ? UInt64(key[index]) : 0) }
  return word
}
