// SPDX-License-Identifier: Apache-2.0
//
// The hash table of a new image: open addressing with linear probing, at least half of the slots empty.
// Invariant: building and reading stay linear in the number of keys, whatever the keys are.

/// One slot, as it is in an image; reference 0 is an empty one.
struct Slot: BitwiseCopyable {
  var fingerprint: UInt32 = 0
  var reference: UInt32 = 0
}

/// The slots of an image, with the seed that places its keys.
struct SlotTable {
  private(set) var slots: [Slot]
  /// What the hash of a key is seeded with; the header of the image holds it.
  private(set) var seed: UInt64 = 0
  /// Slots that were looked at while keys were inserted, in all attempts.
  private(set) var probes = 0

  /// The longest run of full slots, which bounds the probes of any read. Among a million random keys the longest run
  /// has about 80 slots.
  static var longestRun: Int { 160 }
  /// How many seeds are tried.
  static var mostAttempts: Int { 8 }
  /// The most probes of one attempt: random keys need at most 1.5 each.
  static func mostProbes(for keys: Int) -> Int { keys &* 2 &+ 64 }

  /// A power of two that leaves at least half of the slots empty.
  static func slotCount(for keys: Int) -> Int {
    var slots = 2
    while slots < keys &* 2 { slots &*= 2 }
    return slots
  }

  /// Places keys, with the first seed that spreads them. The same keys and secret make the same table.
  ///
  /// - Parameter references: What the slots of the keys hold, in the same order.
  /// - Throws: `.format` when the keys collide under every seed that is tried.
  init(
    _ keys: some Collection<UnsafeRawBufferPointer>, _ references: [UInt32], _ secret: HashSeed
  ) throws(RemoraError) {
    slots = [Slot](repeating: Slot(), count: Self.slotCount(for: references.count))
    for attempt in 0..<Self.mostAttempts {
      if attempt > 0 { for index in slots.indices { slots[index] = Slot() } }
      seed = secret.number(attempt: attempt)
      if place(keys, references), hasShortRuns { return }
    }
    throw .format("the document", "has keys that collide in a hash table under \(Self.mostAttempts) seeds")
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

  /// Whether no run of full slots is too long. A run may pass the end of the table.
  private var hasShortRuns: Bool {
    var run = 0
    for index in 0..<(slots.count &+ min(slots.count, Self.longestRun)) {
      run = slots[index & (slots.count &- 1)].reference == 0 ? 0 : run &+ 1
      if run > Self.longestRun { return false }
    }
    return true
  }
}
