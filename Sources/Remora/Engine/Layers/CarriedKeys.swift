// SPDX-License-Identifier: Apache-2.0
//
// Keys that were live before a newer document that does not list them. They are kept while this process lives, but in
// no image, so they are gone at the next start.

/// The carried-over keys, as a layer: each applies if the base does not have the key.
struct CarriedKeys: Layer {
  private struct Kept {
    let key: [UInt8]
    /// The value as readers saw it, without overrides.
    let json: [UInt8]
    let origin: Origin
  }

  /// Sorted by their bytes.
  private var kept: [Kept] = []

  init() {}

  /// Collects the keys of a base and the layers above it that stay when another base replaces it.
  init(from old: Image, _ origin: Origin, under layers: Layers, to new: Image) throws(RemoraError) {
    var layers = layers
    layers.overrides = OverrideList()
    let (before, after) = (old.reader(over: nil), new.reader(over: nil))
    var candidates: [(key: [UInt8], origin: Origin)] = []
    for index in 0..<before.count {
      guard let entry = before.entry(at: index), entry.value.type != .null, after.entry(entry.key) == nil else {
        continue
      }
      candidates.append((Array(entry.key), origin))
    }
    for earlier in layers.carriedOver.kept {
      let isSaid = earlier.key.withBytes { before.entry($0) != nil || after.entry($0) != nil }
      if !isSaid { candidates.append((earlier.key, earlier.origin)) }
    }
    candidates.sort { $0.key.lexicographicallyPrecedes($1.key) }
    for (key, keyOrigin) in candidates {
      let text = try layers.read(key, over: old, origin) { value -> Result<[UInt8], RemoraError> in canonical(value) }
      kept.append(Kept(key: key, json: try text.get(), origin: keyOrigin))
    }
  }

  var isEmpty: Bool { kept.isEmpty }

  var keys: [[UInt8]] { kept.map(\.key) }

  func change(_ key: inout LayeredKey) throws(RemoraError) {
    guard key.origin == nil, let found = position(of: key.key) else { return }
    try kept[found].json.withBytes { json throws(RemoraError) in try key.value.set(json, at: []) }
    key.origin = kept[found].origin
  }

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
  var text = ByteBuffer()
  do throws(RemoraError) {
    if let value { try text.appendCanonical(value) } else { try text.append("null") }
    return .success(Array(text.bytes))
  } catch {
    return .failure(error)
  }
}
