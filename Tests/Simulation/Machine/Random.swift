// SPDX-License-Identifier: Apache-2.0
//
// The one source of chance of a simulation: the same seed makes the same choices on every machine.

/// Numbers by SplitMix64.
struct Random {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to `bound`, which is excluded.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

  /// True once in so many times.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// One of some; nil if there are none.
  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[below(elements.count)]
  }

  /// One of some, by their weights.
  mutating func pick<Element>(_ weighted: [(weight: Int, element: Element)]) -> Element? {
    var left = below(weighted.reduce(0) { $0 + $1.weight })
    for (weight, element) in weighted {
      if left < weight { return element }
      left -= weight
    }
    return nil
  }
}
