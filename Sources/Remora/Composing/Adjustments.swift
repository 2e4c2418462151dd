// SPDX-License-Identifier: Apache-2.0
//
// The adjustments by which this process changes a base. A key that no adjustment changes stays a reference to the base;
// a changed key is compiled as a whole. Pure: the same adjustments over the same base produce the same entries.

/// A key while the adjustments are applied to it.
struct AdjustedKey: ~Copyable {
  let key: [UInt8]
  /// The value after the adjustments applied so far.
  var value: EditableJSON
  /// The origin of the value; nil while neither the base nor an adjustment has the key.
  var origin: Origin?
}

/// A change of the adjustments that affects one key only.
struct KeyChange {
  let key: [UInt8]
  /// The snapshot of the same base before the change.
  let last: Snapshot
}

/// The entries that adjustments produce for a base, sorted by key, with the owners of their memory.
struct AdjustedEntries {
  private(set) var entries: [Entry] = []
  private var made: ImageBuffer?
  private var kept: Snapshot?

  init() {}

  /// Combines new entries of an encoder with entries kept from the last snapshot, in the order of `places`.
  init(_ encoder: consuming EntryEncoder, _ places: [EntryPlace], of last: Snapshot?) throws(RemoraError) {
    if places.contains(where: \.isMade) { made = try encoder.finish() }
    kept = last
    entries = places.compactMap { place in
      switch place {
      case .made(let range): made.flatMap { Entry(at: UInt32(truncatingIfNeeded: range.offset), in: $0.region) }
      case .kept(let entry): entry
      }
    }
  }
}

/// The location of a changed key's entry.
enum EntryPlace {
  /// In the encoder.
  case made(EntryRange)
  /// In the previous snapshot.
  case kept(Entry)

  fileprivate var isMade: Bool {
    if case .made = self { return true }
    return false
  }
}

struct Adjustments: Sendable {
  /// Keys of earlier documents that the current one does not list.
  var carriedOver = CarriedKeys()
  /// Default members for keys of the base; nil if the host has set no defaults.
  var defaults: DefaultMembers?
  var overrides = OverrideList()

  /// The keys that an adjustment may change, sorted by their bytes, each once.
  private var keys: [[UInt8]] { mergeKeys(mergeKeys(carriedOver.keys, defaults?.keys ?? []), overrides.keys) }

  /// Applies the adjustments to a key, from the lowest to the highest.
  private func apply(to key: inout AdjustedKey) throws(RemoraError) {
    try carriedOver.change(&key)
    try defaults?.change(&key)
    try overrides.change(&key)
  }

  /// Compiles every key that an adjustment changes; after a change of one key, only that key.
  ///
  /// - Throws: `.tooLarge`, `.corrupt`.
  func compile(
    over base: Image, _ origin: Origin, after change: KeyChange? = nil
  ) throws(RemoraError) -> AdjustedEntries {
    try compile(keys, over: base, origin, after: change)
  }

  /// Calls `body` with the value of a key before anything is hidden; nil if neither the base nor an adjustment has the
  /// key.
  func read<Result>(
    _ key: [UInt8], over base: Image, _ origin: Origin, _ body: (Value?) -> Result
  ) throws(RemoraError) -> Result {
    let own = try compile([key], over: base, origin)
    return withExtendedLifetime(own) {
      body((own.entries.first ?? key.withBytes { base.reader(over: nil).entry($0) })?.value)
    }
  }

  private func compile(
    _ keys: [[UInt8]], over base: Image, _ origin: Origin, after change: KeyChange? = nil
  ) throws(RemoraError) -> AdjustedEntries {
    guard !keys.isEmpty else { return AdjustedEntries() }
    let last = change.flatMap { $0.last.base === base ? $0.last : nil }
    let reader = base.reader(over: nil)
    var encoder = EntryEncoder()
    var places: [EntryPlace] = []
    for bytes in keys {
      if let last, bytes != change?.key, let entry = bytes.withBytes({ last.ownEntry($0) }) {
        places.append(.kept(entry))
        continue
      }
      let entry = bytes.withBytes { reader.entry($0) }
      var key = AdjustedKey(key: bytes, value: EditableJSON(entry?.value), origin: entry.map { _ in origin })
      try apply(to: &key)
      // A value of the base has the origin of its snapshot, which changes when the server confirms the base.
      let isOfBase = entry != nil && key.origin != .override
      let origin = isOfBase ? 0 : key.origin?.rawValue ?? 0
      guard let value = key.value.finish() else { continue }
      let range = try bytes.withBytes { key throws(RemoraError) in
        try encoder.append(key: key, value, origin: origin)
      }
      places.append(.made(range))
    }
    return try AdjustedEntries(encoder, places, of: last)
  }
}

/// Merges two sorted lists of unique keys into one.
func mergeKeys(_ left: [[UInt8]], _ right: [[UInt8]]) -> [[UInt8]] {
  if left.isEmpty { return right }
  var merged: [[UInt8]] = []
  var rest = right[...]
  for key in left {
    while let next = rest.first, next.lexicographicallyPrecedes(key) { merged.append(rest.removeFirst()) }
    if rest.first == key { rest.removeFirst() }
    merged.append(key)
  }
  return merged + rest
}
