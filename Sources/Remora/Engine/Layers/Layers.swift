// SPDX-License-Identifier: Apache-2.0
//
// What this process lays over a base, layer by layer. A key that no layer touches stays a reference into the base; one
// that is touched is compiled whole, from the base up. Pure: the same layers over the same base give the same entries.

/// One layer of a live snapshot: what it makes of some keys, over what the layers below it made of them.
protocol Layer: Sendable {
  /// The keys that it may change, sorted by their bytes, each once.
  var keys: [[UInt8]] { get }

  /// Changes one of these keys.
  func change(_ key: inout LayeredKey) throws(RemoraError)
}

/// A key on its way through the layers.
struct LayeredKey: ~Copyable {
  /// The key.
  let key: [UInt8]
  /// Its value, by the layers so far.
  var value: EditableJSON
  /// Where that comes from; nil while nothing has the key.
  var origin: Origin?
}

/// A change of what the layers say of one key, after which all others are what they were.
struct LayerChange {
  let key: [UInt8]
  /// What was composed of the same base before it.
  let last: Snapshot
}

/// What layers make of a base: entries sorted by key, and what keeps their memory.
struct LayeredEntries {
  private(set) var entries: [Entry] = []
  private var made: ImageBuffer?
  private var kept: Snapshot?

  init() {}

  /// Takes the entries that an encoder made, and those of the last snapshot, at their places.
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

/// Where an entry of a layered key is.
enum EntryPlace {
  /// In the encoder.
  case made(EntryRange)
  /// In what was composed before.
  case kept(Entry)

  fileprivate var isMade: Bool {
    if case .made = self { return true }
    return false
  }
}

/// The layers of a source.
struct Layers: Sendable {
  /// Keys that were live before a document that does not list them.
  var carriedOver = CarriedKeys()
  /// What keys of the base inherit; nil when the host gives nothing.
  var defaults: DefaultLayer?
  /// What the host sets.
  var overrides = OverrideList()

  /// All of them, from the lowest to the highest.
  private var all: [any Layer] {
    guard let defaults else { return carriedOver.isEmpty ? [overrides] : [carriedOver, overrides] }
    return [carriedOver, defaults, overrides]
  }

  /// Compiles every key that a layer changes; after a change of one key that one alone.
  ///
  /// - Throws: `.tooLarge`, `.corrupt`.
  func compile(
    over base: Image, _ origin: Origin, after change: LayerChange? = nil
  ) throws(RemoraError) -> LayeredEntries {
    try compile(all.reduce([]) { mergeKeys($0, $1.keys) }, over: base, origin, after: change)
  }

  /// Calls `body` with what a key reads as before anything is hidden; nil when nothing has it.
  func read<Result>(
    _ key: [UInt8], over base: Image, _ origin: Origin, _ body: (Value?) -> Result
  ) throws(RemoraError) -> Result {
    let own = try compile([key], over: base, origin)
    return withExtendedLifetime(own) {
      body((own.entries.first ?? key.withBytes { base.reader(over: nil).entry($0) })?.value)
    }
  }

  private func compile(
    _ keys: [[UInt8]], over base: Image, _ origin: Origin, after change: LayerChange? = nil
  ) throws(RemoraError) -> LayeredEntries {
    guard !keys.isEmpty else { return LayeredEntries() }
    let last = change.flatMap { $0.last.base === base ? $0.last : nil }
    let reader = base.reader(over: nil)
    let layers = all
    var encoder = EntryEncoder()
    var places: [EntryPlace] = []
    for bytes in keys {
      if let last, bytes != change?.key, let entry = bytes.withBytes({ last.ownEntry($0) }) {
        places.append(.kept(entry))
        continue
      }
      let entry = bytes.withBytes { reader.entry($0) }
      var key = LayeredKey(key: bytes, value: EditableJSON(entry?.value), origin: entry.map { _ in origin })
      for layer in layers { try layer.change(&key) }
      let origin = key.origin?.rawValue ?? 0
      guard let value = key.value.finish() else { continue }
      let range = try bytes.withBytes { key throws(RemoraError) in
        try encoder.append(key: key, value, origin: origin)
      }
      places.append(.made(range))
    }
    return try LayeredEntries(encoder, places, of: last)
  }
}

/// Merges two lists of keys, sorted and each key once, into one like them.
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
