// SPDX-License-Identifier: Apache-2.0
//
// The experiments that settings bring under the key `experiments`: read where they lie, item by item. An item, or a part
// of one, that is not as it must be counts as absent and hurts nothing else.

/// One experiment; valid as long as the snapshot that it was read from.
package struct Experiment {
  /// Its name; a NUL follows.
  package let name: UnsafeRawBufferPointer
  /// Which variant was chosen; empty when none is said. A NUL follows.
  package let variant: UnsafeRawBufferPointer
  /// The server's number; 0 when none is said.
  package let trackable: Double
  /// The keys that it touches: an array of strings, if they are said.
  package let settings: Value?
}

/// The experiments of one snapshot: an array of items with their names, or an object of items by their names.
package struct Experiments {
  /// The key that holds them.
  package static let key: StaticString = "experiments"

  private let items: Value

  /// Those of a value of the key.
  package init(_ items: Value) { self.items = items }

  /// Those of a snapshot; nil when it has none. They live as long as it does.
  package init?(of reader: SnapshotReader) {
    let key = UnsafeRawBufferPointer(start: Self.key.utf8Start, count: Self.key.utf8CodeUnitCount)
    guard let entry = reader.entry(key) else { return nil }
    items = entry.value
  }

  /// The experiment of a name.
  package func named(_ name: UnsafeRawBufferPointer) -> Experiment? {
    var found: Experiment?
    walk { experiment in
      if compareBytes(experiment.name, name) == 0 { found = experiment }
      return found == nil
    }
    return found
  }

  /// Calls `body` with each in its order, until that returns false.
  package func forEach(_ body: (Experiment) -> Bool) {
    var names: Set<[UInt8]> = []
    walk { names.insert(Array($0.name)).inserted ? body($0) : true }
  }

  /// Notes what is not as it must be, at JSON Pointers that begin with a place.
  func judge(at place: String, _ remarks: inout DocumentRemarks) {
    guard items.type != .null else { return }
    guard items.type == .array || items.type == .object else {
      return remarks.add(place, "is \(items.type.name), neither an array nor an object, and is ignored")
    }
    var names: Set<[UInt8]> = []
    for index in 0..<items.count {
      guard let (item, memberName) = item(at: index) else { continue }
      let place = "\(place)/\(memberName.map { pointerToken(Array($0)) } ?? "\(index)")"
      guard item.type == .object else {
        remarks.add(place, "is \(item.type.name), not an object, and is ignored")
        continue
      }
      guard let name = memberName ?? item.member("name")?.string, isUsable(name) else {
        remarks.add(place, "has no name, or an empty one or one with a NUL, and is ignored")
        continue
      }
      guard names.insert(Array(name)).inserted else {
        remarks.add(place, "has a name that comes twice: the first one is used")
        continue
      }
      judge(item, "variant", at: place, "a string", &remarks) { $0.string != nil }
      judge(item, "trackable", at: place, "a number", &remarks) { $0.double != nil }
      judge(item, "settings", at: place, "an array of strings", &remarks) { $0.isArrayOfStrings }
    }
  }

  private func judge(
    _ item: Value, _ name: StaticString, at place: String, _ wanted: StaticString, _ remarks: inout DocumentRemarks,
    _ isUsable: (Value) -> Bool
  ) {
    guard let value = item.member(name), value.type != .null, !isUsable(value) else { return }
    remarks.add("\(place)/\(name)", "is not \(wanted), and is ignored")
  }

  /// All that are usable, also under a name that was there before.
  private func walk(_ body: (Experiment) -> Bool) {
    for index in 0..<items.count {
      guard let (item, memberName) = item(at: index), item.type == .object,
        let name = memberName ?? item.member("name")?.string, let experiment = experiment(item, name)
      else { continue }
      if !body(experiment) { return }
    }
  }

  /// An item, and its name where that is outside of it.
  private func item(at index: Int) -> (item: Value, name: UnsafeRawBufferPointer?)? {
    if let member = items.member(at: index) { return (member.value, member.name) }
    return items.element(at: index).map { ($0, nil) }
  }

  private func experiment(_ item: Value, _ name: UnsafeRawBufferPointer) -> Experiment? {
    guard item.type == .object, isUsable(name) else { return nil }
    let settings = item.member("settings").flatMap { $0.isArrayOfStrings ? $0 : nil }
    return Experiment(
      name: name, variant: item.member("variant")?.string ?? noText, trackable: item.member("trackable")?.double ?? 0,
      settings: settings)
  }

  private func isUsable(_ name: UnsafeRawBufferPointer) -> Bool { !name.isEmpty && !name.contains(0) }
}

/// An empty text with its NUL, which lives for ever.
private var noText: UnsafeRawBufferPointer {
  let text: StaticString = ""
  return UnsafeRawBufferPointer(start: text.utf8Start, count: 0)
}

extension Value {
  fileprivate var isArrayOfStrings: Bool {
    type == .array && (0..<count).allSatisfy { element(at: $0)?.type == .string }
  }
}
