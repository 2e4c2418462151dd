// SPDX-License-Identifier: Apache-2.0
//
// The hash table of an image: open addressing with linear probing, a third of the slots empty. A slot is a reference
// and, in the bits that no reference of the image needs, a part of the hash. Invariant: building and reading take
// linear time in the number of keys, even for maliciously chosen keys.

/// The hash of a key, as the table uses it.
struct KeyHash {
  private let bits: UInt64

  @inline(__always)
  init(_ bits: UInt64) { self.bits = bits }

  /// The slot that is examined first.
  @inline(__always)
  func firstSlot(of count: Int) -> Int {
    Int(truncatingIfNeeded: ((bits & 0xFFFF_FFFF) &* UInt64(truncatingIfNeeded: count)) >> 32)
  }

  /// The bits of which a slot has those that are not its reference.
  @inline(__always)
  var fingerprint: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
}

/// The slots of an image, with the seed of their hash.
struct SlotTable {
  /// 0 means empty.
  private(set) var slots: [UInt32]
  /// The bits of a slot that are a reference.
  let referenceMask: UInt32
  /// The seed of the hash of keys; stored in the header of the image.
  private(set) var seed: UInt64 = 0
  /// The number of slots examined while keys were inserted, in all attempts.
  private(set) var probes = 0

  /// The longest accepted run of full slots, which bounds the probes of any read. Among a million random keys the
  /// longest run has about 220 slots.
  static var longestRun: Int { 400 }
  /// The maximum number of seeds to try.
  static var mostAttempts: Int { 8 }
  /// The maximum number of probes of one attempt; random keys need about 2 each.
  static func mostProbes(for keys: Int) -> Int { keys &* 3 &+ 64 }

  /// Returns a number that leaves a third of the slots empty.
  static func slotCount(for keys: Int) -> Int { keys &+ keys / 2 &+ 2 }

  /// Inserts keys, with the first seed that distributes them well. The same keys and secret produce the same table.
  ///
  /// - Parameter references: The references to the entries, in the order of the keys; none is 0.
  /// - Throws: `.format` if the keys collide under every seed that is tried.
  init(
    _ keys: some Collection<UnsafeRawBufferPointer>, _ references: [UInt32], _ secret: HashSeed
  ) throws(RemoraError) {
    slots = [UInt32](repeating: 0, count: Self.slotCount(for: references.count))
    referenceMask = references.reduce(0, |).coveringMask
    for attempt in 0..<Self.mostAttempts {
      if attempt > 0 { for index in slots.indices { slots[index] = 0 } }
      seed = secret.number(attempt: attempt)
      if place(keys, references), hasShortRuns { return }
    }
    throw .format("the document", "has too many keys with colliding hashes (\(Self.mostAttempts) hash seeds tried)")
  }

  /// Inserts all keys; returns false once that takes too many probes.
  private mutating func place(_ keys: some Collection<UnsafeRawBufferPointer>, _ references: [UInt32]) -> Bool {
    var left = Self.mostProbes(for: references.count)
    for (key, reference) in zip(keys, references) {
      let hash = KeyHash(hashOfKey(key, seed: seed))
      var slot = hash.firstSlot(of: slots.count)
      left &-= 1
      probes &+= 1
      while slots[slot] != 0 {
        slot = slot &+ 1 == slots.count ? 0 : slot &+ 1
        left &-= 1
        probes &+= 1
        if left < 0 { return false }
      }
      slots[slot] = hash.fingerprint & ~referenceMask | reference
    }
    return true
  }

  /// Whether no run of full slots is too long. A run may wrap around the end of the table.
  private var hasShortRuns: Bool {
    var run = 0
    for index in 0..<(slots.count &+ min(slots.count, Self.longestRun)) {
      run = slots[index % slots.count] == 0 ? 0 : run &+ 1
      if run > Self.longestRun { return false }
    }
    return true
  }
}

extension UInt32 {
  /// A mask of all bits up to its highest one.
  fileprivate var coveringMask: UInt32 { self == 0 ? 0 : .max >> UInt32(leadingZeroBitCount) }
}
