// SPDX-License-Identifier: Apache-2.0
//
// Keys that a malicious server prepares for a hash seed that it knows, and what reading by such keys costs.

@testable import Remora

/// So many keys of eight digits whose slots, under a seed, are all in a sixty-fourth of the table. Sorted.
func collidingKeys(_ count: Int, seed: UInt64) -> [[UInt8]] {
  let slots = SlotTable.slotCount(for: count)
  var keys: [[UInt8]] = []
  var number = 0
  while keys.count < count {
    let key = digits(number)
    if key.firstSlot(of: slots, seed: seed) < slots / 64 { keys.append(key) }
    number += 1
  }
  return keys
}

extension [UInt8] {
  /// The slot at which the search for the key begins.
  func firstSlot(of count: Int, seed: UInt64) -> Int {
    withUnsafeBytes { KeyHash(hashOfKey($0, seed: seed)) }.firstSlot(of: count)
  }
}

/// So many keys of eight digits. Sorted.
func ordinaryKeys(_ count: Int) -> [[UInt8]] { (0..<count).map { digits($0) } }

/// Eight digits, the first of which is 0.
private func digits(_ number: Int, first: UInt8 = UInt8(ascii: "0")) -> [UInt8] {
  var key = [UInt8](repeating: first, count: 8)
  var rest = number
  for place in (1..<8).reversed() {
    key[place] = UInt8(ascii: "0") + UInt8(rest % 10)
    rest /= 10
  }
  return key
}

/// The seed of images that earlier versions wrote: a public function of the keys.
func earlierSeed(of keys: [[UInt8]]) -> UInt64 {
  keys.reduce(0) { seed, key in key.withUnsafeBytes { hash64($0, seed: seed) } }
}

/// So many keys that collide under the seed that earlier versions would have made of them. The last one is computed
/// such that the seed is the one that the others collide under.
func keysPreparedForEarlierVersions(_ count: Int) -> [[UInt8]] {
  let seed: UInt64 = 0x0123_4567_89AB_CDEF
  let colliding = collidingKeys(count - 2, seed: seed)
  let before = earlierSeed(of: colliding)
  for number in 0... {
    let middle = digits(number, first: UInt8(ascii: "1"))
    let last = keyOfEight(hash: seed, seed: middle.withUnsafeBytes { hash64($0, seed: before) })
    let isPlain = last.allSatisfy { $0 < 0x7F && $0 > UInt8(ascii: "1") && $0 != UInt8(ascii: "\\") }
    if isPlain { return colliding + [middle, last] }
  }
  return []
}

/// The one key of eight bytes with a hash: XXH3 of so short a key is a sequence of steps that can be undone.
private func keyOfEight(hash: UInt64, seed: UInt64) -> [UInt8] {
  let prime: UInt64 = 0x9FB2_1C65_1E98_DF25
  var inverse = prime
  for _ in 0..<6 { inverse = inverse &* (2 &- prime &* inverse) }
  var state = hash ^ hash >> 28 ^ hash >> 56
  state = state &* inverse
  state ^= (state >> 35) &+ 8
  state = state &* inverse
  // This step is its own inverse when it is done 64 times.
  for _ in 0..<63 { state ^= (state << 49 | state >> 15) ^ (state << 24 | state >> 40) }
  let mixed = seed ^ UInt64(UInt32(truncatingIfNeeded: seed).byteSwapped) << 32
  let secret: UInt64 = 0x1CAD_21F7_2C81_017C ^ 0xDB97_9083_E96D_D4DE
  state ^= secret &- mixed
  // The first four bytes are the upper half.
  return [UInt32(truncatingIfNeeded: state >> 32), UInt32(truncatingIfNeeded: state)].withUnsafeBytes(Array.init)
}

/// What reading costs, in slots looked at.
struct ReadCost {
  /// All keys, once each.
  var total = 0
  /// The key, or the missing one, that costs most.
  var longest = 0
}

extension Image {
  /// What reading the keys costs, counted in the table itself.
  var readCost: ReadCost {
    let reader = reader(over: nil)
    let slots = reader.slotCount
    var cost = ReadCost()
    var run = 0
    for index in 0..<2 * slots {
      let slot = (reader.slots + index % slots * ImageFormat.slotSize).load(as: UInt32.self)
      run = slot == 0 ? 0 : run + 1
      // A missing key is looked for up to the empty slot behind a run.
      cost.longest = max(cost.longest, run + 1)
      guard slot != 0, index < slots else { continue }
      guard let entry = Entry(at: (slot & reader.referenceMask) * 4, in: reader.first) else { continue }
      let first = Array(entry.key).firstSlot(of: slots, seed: reader.seed)
      cost.total += (index + slots - first) % slots + 1
    }
    return cost
  }
}
