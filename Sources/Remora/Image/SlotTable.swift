// SPDX-License-Identifier: Apache-2.0
//
// The hash table of a new image: open addressing with linear probing, at least half of the slots empty.
// Invariant: building and reading take linear time in the number of keys, even for maliciously chosen keys.

/// One slot, as stored in an image; reference 0 means empty.
struct Slot: BitwiseCopyable {
  var fingerprint: UInt32 = 0
  var reference: UInt32 = 0
}

/// The slots of an image, with the seed of their hash.
struct SlotTable {
  private(set) var slots: [Slot]
  /// The seed of the hash of keys; stored in the header of the image.
  private(set) var seed: UInt64 = 0
  /// The number of slots examined while keys were inserted, in all attempts.
  private(set) var probes = 0

  /// The longest accepted run of full slots, which bounds the probes of any read. Among a million random keys the
  /// longest run has about 80 slots.
  static var longestRun: Int { 160 }
  /// The maximum number of seeds to try.
  static var mostAttempts: Int { 8 }
  /// The maximum number of probes of one attempt; random keys need at most 1.5 each.
  static func mostProbes(for keys: Int) -> Int { keys &* 2 &+ 64 }

  /// Returns a power of two that leaves at least half of the slots empty.
  static func slotCount(for keys: Int) -> Int {
    var slots = 2
    while slots < keys &* 2 { slots &*= 2 }
    return slots
  }

  /// Inserts keys, with the first seed that distributes them well. The same keys and secret produce the same table.
  ///
  /// - Parameter references: The contents of the slots, in the order of the keys.
  /// - Throws: `.format` if the keys collide under every seed that is tried.
  init(
    _ keys: some Collection<UnsafeRawBufferPointer>, _ references: [UInt32], _ secret: HashSeed
  ) throws(RemoraError) {
    slots = [Slot](repeating: Slot(), count: Self.slotCount(for: references.count))
    for attempt in 0..<Self.mostAttempts {
      if attempt > 0 { for index in slots.indices { slots[index] = Slot() } }
      seed = secret.number(attempt: attempt)
      if place(keys, references), hasShortRuns { return }
    }
    throw .format("the document", "has too many keys with colliding hashes (\(Self.mostAttempts) hash seeds tried)")
  }

  /// Inserts all keys; returns false once that takes too many probes.
  private mutating func place(_ keys: some Collection<UnsafeRawBufferPointer>, _ references: [UInt32]) -> Bool {
    let mask = slots.count &- 1
    var left = Self.mostProbes(for: references.count)
    for (key, reference) in zip(keys, references) {
      let hash = hashOfKey(key, seed: seed)
      var slot = Int(truncatingIfNeeded: hash & UInt64(mask))
      left &-= 1
      probes &+= 1
      while slots[slot].reference != 0 {
        slot = (slot &+ 1) & mask
        left &-= 1
        probes &+= 1
        if left < 0 { return false }
      }
      slots[slot] = Slot(fingerprint: UInt32(truncatingIfNeeded: hash >> 32), reference: reference)
    }
    return true
  }

  /// Whether no run of full slots is too long. A run may wrap around the end of the table.
  private var hasShortRuns: Bool {
    var run = 0
    for index in 0..<(slots.count &+ min(slots.count, Self.longestRun)) {
      run = slots[index & (slots.count &- 1)].reference == 0 ? 0 : run &+ 1
      if run > Self.longestRun { return false }
    }
    return true
  }
}
