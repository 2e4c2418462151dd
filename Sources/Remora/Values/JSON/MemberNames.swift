// SPDX-License-Identifier: Apache-2.0
//
// The names of an object that is read member by member, to find one that occurs twice.

/// A set of names, compared as bytes: Swift strings treat different encodings of one accented letter as equal.
struct MemberNames {
  /// The names, one after the other.
  private var text: [UInt8] = []
  /// The end of each name in `text`.
  private var ends: [Int] = []
  /// A hash table: the number of a name plus one, or 0. Its size is a power of two, and at most half of it is used.
  private var slots: [UInt32] = []
  /// A secret, without which nobody can prepare names that collide; chosen with the first name.
  private var seed: UInt64 = 0

  /// The number of names.
  var count: Int { ends.count }

  /// Adds a name; false if the set has it already.
  mutating func insert(_ name: UnsafeRawBufferPointer) -> Bool {
    if 2 &* count >= slots.count { grow() }
    let slot = slot(of: name)
    guard slots[slot] == 0 else { return false }
    text.append(contentsOf: name)
    ends.append(text.count)
    slots[slot] = UInt32(truncatingIfNeeded: count)
    return true
  }

  /// Returns the slot of a name, or the free one where it belongs.
  private func slot(of name: UnsafeRawBufferPointer) -> Int {
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: hash64(name, seed: seed)) & mask
    while slots[slot] != 0, !isName(Int(slots[slot]) &- 1, name) { slot = (slot &+ 1) & mask }
    return slot
  }

  private func isName(_ number: Int, _ name: UnsafeRawBufferPointer) -> Bool {
    text.withUnsafeBytes { compareBytes(self.name(number, in: $0), name) == 0 }
  }

  private func name(_ number: Int, in text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: text[(number == 0 ? 0 : ends[number &- 1])..<ends[number]])
  }

  private mutating func grow() {
    if slots.isEmpty { seed = HashSeed.random().number(attempt: 0) }
    slots = Array(repeating: 0, count: max(8, 2 &* slots.count))
    text.withUnsafeBytes { text in
      for number in 0..<count { slots[slot(of: name(number, in: text))] = UInt32(truncatingIfNeeded: number &+ 1) }
    }
  }
}
