// SPDX-License-Identifier: Apache-2.0
//
// Keys that were live before a newer document that does not list them. They are kept while this process lives, but in
// no image, so they are gone at the next start.

/// The carried-over keys, as an adjustment: each applies if the base does not have the key.
struct CarriedKeys: Sendable {
  /// The maximum number of keys. Each document can list other keys than the one before. Without a limit, the memory
  /// and the time of each refresh would grow with every document.
  static let mostKeys = 10_000
  /// The maximum number of bytes of the keys and of their values as JSON. A value needs several times the memory of its
  /// text, and each refresh compiles all values again.
  static let mostBytes = 16 * 1024 * 1024

  private struct Kept {
    let key: [UInt8]
    /// The value as readers saw it, without overrides.
    let json: [UInt8]
    let origin: Origin
    /// The number of the document that was the first one without the key.
    let since: Int

    var size: Int { key.count &+ json.count }
  }

  /// Sorted by their bytes.
  private var kept: [Kept] = []
  /// The number of documents for which keys were collected.
  private var documentCount = 0
  /// The number of keys that were dropped, because they exceed the limits.
  private(set) var droppedCount = 0

  init() {}

  /// Collects the keys of a base and the adjustments above it that stay when another base replaces it. Newly carried
  /// keys come first, then earlier ones, beginning with those that were carried for the shortest time. Keys that were
  /// carried equally long come in the order of their bytes. A key that does not fit into the limits in this order is
  /// dropped.
  init(from old: Image, _ origin: Origin, under adjustments: Adjustments, to new: Image) throws(RemoraError) {
    var adjustments = adjustments
    adjustments.overrides = OverrideList()
    documentCount = adjustments.carriedOver.documentCount &+ 1
    var size = 0
    let (before, after) = (old.reader(over: nil), new.reader(over: nil))
    for index in 0..<before.count {
      guard let entry = before.entry(at: index), entry.value.type != .null, after.entry(entry.key) == nil else {
        continue
      }
      guard kept.count < Self.mostKeys, size < Self.mostBytes else {
        droppedCount &+= 1
        continue
      }
      let key = Array(entry.key)
      let text = try adjustments.read(key, over: old, origin) { value -> Result<[UInt8], RemoraError> in
        canonical(value)
      }
      keep(Kept(key: key, json: try text.get(), origin: origin, since: documentCount), &size)
    }
    // The texts of earlier keys contain the default members already.
    for earlier in adjustments.carriedOver.kept.sorted(by: { $0.since > $1.since }) {
      let isSaid = earlier.key.withBytes { before.entry($0) != nil || after.entry($0) != nil }
      if !isSaid { keep(earlier, &size) }
    }
    kept.sort { $0.key.lexicographicallyPrecedes($1.key) }
  }

  /// Adds a key if it fits into the limits. `size` is the size of the keys so far.
  private mutating func keep(_ next: Kept, _ size: inout Int) {
    guard kept.count < Self.mostKeys, next.size <= Self.mostBytes &- size else {
      droppedCount &+= 1
      return
    }
    kept.append(next)
    size &+= next.size
  }

  /// Returns the warning that keys were dropped.
  static func warning(dropped count: Int) -> String {
    "\(count == 1 ? "1 key" : "\(count) keys") that only earlier documents contain cannot be kept, and"
      + " \(count == 1 ? "is" : "are") removed: at most \(mostKeys) such keys and \(mostBytes >> 20) MiB of their text are"
      + " kept"
  }

  /// The kept keys, sorted by their bytes.
  var keys: [[UInt8]] { kept.map(\.key) }

  /// Sets the value of a kept key that the base does not have.
  func change(_ key: inout AdjustedKey) throws(RemoraError) {
    guard key.origin == nil, let found = position(of: key.key) else { return }
    try kept[found].json.withBytes { json throws(RemoraError) in try key.value.set(json, at: []) }
    key.origin = kept[found].origin
  }

  func has(_ key: [UInt8]) -> Bool { position(of: key) != nil }

  private func position(of key: [UInt8]) -> Int? {
    var (low, high) = (0, kept.count)
    while low < high {
      let middle = (low &+ high) / 2
      if kept[middle].key.lexicographicallyPrecedes(key) { low = middle &+ 1 } else { high = middle }
    }
    return low < kept.count && kept[low].key == key ? low : nil
  }
}

/// Returns the canonical text of a value; that of null for nil.
private func canonical(_ value: Value?) -> Result<[UInt8], RemoraError> {
  do throws(RemoraError) {
    return .success(try value?.withCanonicalText { Array($0) } ?? CanonicalObject.null)
  } catch {
    return .failure(error)
  }
}
