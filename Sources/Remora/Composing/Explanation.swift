// SPDX-License-Identifier: Apache-2.0
//
// Why a read by key returns its value: the layers that have or change it, from the highest to the lowest.

/// The data of a source at one moment, as it is explained.
package struct ExplainedData {
  /// What readers see.
  let live: Snapshot
  let adjustments: Adjustments
  let hiding: HidingRule
  let context: FilterContext
  /// The time from which the ages of images are computed, in milliseconds since 1970.
  let nowMs: Int64
  package var packaged: Image?
  /// The host's default values.
  package var defaults: Image?
  package var staged: Image?
  /// The former live image.
  package var previous: Image?
  /// The newest image that a host has rejected.
  package var rejected: Image?

  /// Creates the data of a source with no other layers than those of the live snapshot.
  init(_ live: Snapshot, under adjustments: Adjustments, hiding: HidingRule, in context: FilterContext, nowMs: Int64) {
    (self.live, self.adjustments, self.hiding, self.context) = (live, adjustments, hiding, context)
    self.nowMs = nowMs
  }

  /// Creates the data of a source whose only adjustments are overrides.
  package init(
    _ live: Snapshot, under overrides: OverrideList, hiding: HidingRule, in context: FilterContext, nowMs: Int64
  ) {
    self.init(live, under: Adjustments(overrides: overrides), hiding: hiding, in: context, nowMs: nowMs)
  }
}

/// Why a place in a source has its value.
package struct Explanation: Sendable {
  /// The raw value is the name in JSON.
  package enum LayerKind: String, Sendable {
    case override, hidden, live, packaged, staged, previous, rejected
    case carriedOver = "carried_over"
    case defaults = "default"
  }

  /// One layer that has a value at the place, or hides it.
  package struct Layer: Sendable {
    package let kind: LayerKind
    /// Whether readers see the value of this layer, or nothing because of it.
    package fileprivate(set) var wins = false
    /// The canonical JSON of its value; nil if it has no value at the place.
    package fileprivate(set) var value: [UInt8]?
    /// The metadata of its image; nil for layers without one.
    package fileprivate(set) var image: ImageMetadata?
    package fileprivate(set) var reason: String?
  }

  package let key: [UInt8]
  package let pointer: [UInt8]
  let nowMs: Int64
  /// The canonical JSON of the value that readers see; nil if they see none.
  package private(set) var value: [UInt8]?
  package private(set) var type: ValueType?
  /// The reason a read of the place returns its default, whatever its type; nil if there is a value that is not null.
  package private(set) var reason: String?
  package private(set) var layers: [Layer] = []

  /// Explains a place; an empty pointer means the whole value of the key.
  ///
  /// - Throws: `.invalidArgument` for the pointer; `.corrupt`; `.tooLarge`; `.unavailable`.
  package init(of data: borrowing ExplainedData, key: [UInt8], pointer: [UInt8]) throws(RemoraError) {
    (self.key, self.pointer, nowMs) = (key, pointer, data.nowMs)
    guard pointer.withBytes({ isJSONPointer($0) }) else { throw .malformedPointer(shown(pointer)) }
    let place = Place(key: key, pointer: pointer)
    let base = data.baseKind
    layers = [
      try place.override(data.adjustments.overrides), try place.hidden(data), try place.layer(base, data.live.base),
      try place.carriedOver(data.adjustments.carriedOver),
      base == .defaults ? nil : try place.layer(.defaults, data.defaults),
      base == .packaged ? nil : try place.layer(.packaged, data.packaged),
      try place.layer(.staged, data.staged), try place.layer(.previous, data.previous),
      try place.layer(.rejected, data.rejected),
    ].compactMap(\.self)
    try find(place, in: data.live)
    markWinner(over: base)
  }

  /// Finds what readers see.
  private mutating func find(_ place: Place, in live: Snapshot) throws(RemoraError) {
    let entry = key.withBytes { live.reader.pointee.entry($0) }
    guard let entry else { return reason = absence(in: live) }
    guard let found = pointer.withBytes({ entry.value.at(pointer: $0).value }) else {
      return reason = place.end(in: entry.value)
    }
    type = found.type
    value = try found.withCanonicalText { Array($0) }
    if found.type == .null { reason = "the value is null" }
  }

  private func absence(in live: Snapshot) -> String {
    if layers.contains(where: { $0.kind == .hidden }) { return "the key is hidden" }
    return live.origin == .none ? "the source has no data" : "the key does not exist"
  }

  /// Marks the highest layer that readers see. A null counts as missing if a lower layer has a value.
  private mutating func markWinner(over base: LayerKind) {
    let seen: [LayerKind] = value == nil ? [.hidden] : [.override, base, .carriedOver, .defaults]
    let null = type == .null ? nil : Array("null".utf8)
    let winner = layers.firstIndex { seen.contains($0.kind) && ($0.value == nil || $0.value != null) }
    if let winner { layers[winner].wins = true }
  }
}

extension ExplainedData {
  /// The layer of the live image.
  fileprivate var baseKind: Explanation.LayerKind {
    switch live.origin {
    case .defaults: .defaults
    case .packaged: .packaged
    case .none, .cached, .fetched, .override: .live
    }
  }
}

/// The place that is explained.
private struct Place {
  let key: [UInt8]
  let pointer: [UInt8]

  /// Returns the layer of an image that has a value here.
  func layer(_ kind: Explanation.LayerKind, _ image: Image?) throws(RemoraError) -> Explanation.Layer? {
    guard let image, let entry = key.withBytes({ image.reader(over: nil).entry($0) }),
      let text = try text(in: entry.value)
    else { return nil }
    return Explanation.Layer(kind: kind, value: text, image: kind == .defaults ? nil : image.metadata)
  }

  private func text(in value: Value) throws(RemoraError) -> [UInt8]? {
    guard let found = pointer.withBytes({ value.at(pointer: $0).value }) else { return nil }
    return try found.withCanonicalText { Array($0) }
  }

  /// Returns the layer of the overrides that change the value here.
  func override(_ list: OverrideList) throws(RemoraError) -> Explanation.Layer? {
    let own = list[key].filter { $0.isAt(orAbove: pointer) || $0.isAt(orBelow: pointer) }
    guard !own.isEmpty else { return nil }
    var adjusted = AdjustedKey(key: key, value: EditableJSON(nil), origin: nil)
    try list.change(&adjusted)
    var layer = try layer(.override, adjusted.value.finish())
    let below = own.filter { $0.pointer.count > pointer.count }
    if !below.isEmpty { layer.reason = "at \(below.prefix(3).map { shown($0.pointer) }.joined(separator: ", "))" }
    return layer
  }

  /// Returns the layer of keys that an earlier document had.
  func carriedOver(_ keys: CarriedKeys) throws(RemoraError) -> Explanation.Layer? {
    guard keys.has(key) else { return nil }
    var adjusted = AdjustedKey(key: key, value: EditableJSON(nil), origin: nil)
    try keys.change(&adjusted)
    return try layer(.carriedOver, adjusted.value.finish())
  }

  private func layer(
    _ kind: Explanation.LayerKind, _ value: consuming ParsedJSON?
  ) throws(RemoraError) -> Explanation.Layer {
    var layer = Explanation.Layer(kind: kind)
    guard let value else { return layer }
    layer.value = try withCompiled(value) { value throws(RemoraError) in try text(in: value) }
    return layer
  }

  /// Returns the layer that hides the key: its filter, or null.
  func hidden(_ data: borrowing ExplainedData) throws(RemoraError) -> Explanation.Layer? {
    let (snapshot, rule, context) = (data.live, data.hiding, data.context)
    guard key.withBytes({ snapshot.reader.pointee.entry($0) }) == nil else { return nil }
    let reason = try data.adjustments.read(key, over: snapshot.base, snapshot.origin) { value -> String? in
      guard let value else { return nil }
      if value.type == .null { return "the value is null, which removes the key" }
      guard case .filter(let member) = rule else { return nil }
      return filterReason(value, member, in: context)
    }
    guard let reason else { return nil }
    var layer = Explanation.Layer(kind: .hidden)
    layer.reason = reason
    return layer
  }

  private func filterReason(_ value: Value, _ member: StaticString, in context: FilterContext) -> String {
    let name = UnsafeRawBufferPointer(start: member.utf8Start, count: member.utf8CodeUnitCount)
    let expression = Array(value.member(named: name)?.string ?? UnsafeRawBufferPointer(start: nil, count: 0))
    let problem =
      switch RecordFilter.answer(to: expression, in: context) {
      case .success: "is not true in the context of the client"
      case .failure(let error): "cannot be evaluated: \(error.message)"
      }
    return "\(member) \(problem): \(shown(expression))"
  }

  /// Returns the step at which the pointer ends.
  func end(in value: Value) -> String {
    var (last, place) = (value, "the value")
    let slashes = pointer.indices.filter { pointer[$0] == UInt8(ascii: "/") }
    for (start, end) in zip(slashes, slashes.dropFirst() + [pointer.count]) {
      let path = pointer[..<end]
      guard let next = Array(path).withBytes({ value.at(pointer: $0).value }) else {
        let step = shown(pointer[(start &+ 1)..<end])
        return switch last.type {
        case .object: "\(place) is an object without the member \(step)"
        case .array: "\(place) is an array of \(last.count) without the element \(step)"
        default: "\(place) is \(last.type.name), so it has no member \(step)"
        }
      }
      (last, place) = (next, "the value at \(shown(path))")
    }
    return "there is no value"
  }
}
