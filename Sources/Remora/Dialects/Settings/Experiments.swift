// SPDX-License-Identifier: Apache-2.0
//
// The experiments in settings, under the key `experiments`: read in place, item by item. An invalid item, or an invalid
// part of one, counts as absent and does not affect the rest.

/// One experiment; valid as long as its snapshot.
package struct Experiment {
  /// The name; a NUL follows.
  package let name: UnsafeRawBufferPointer
  /// The chosen variant; empty if none is stated. A NUL follows.
  package let variant: UnsafeRawBufferPointer
  /// The server's number; 0 if none is stated.
  package let trackable: Double
  /// The keys that the experiment changes, as an array of strings; nil if they are not stated.
  package let settings: Value?
}

/// The experiments of one snapshot: an array of items with names, or an object with an item under each name.
package struct Experiments {
  package static let key: StaticString = "experiments"

  private let items: Value

  /// Reads the experiments in the value of the key.
  package init(_ items: Value) { self.items = items }

  /// Reads the experiments of a snapshot; nil if it has no experiments. They are valid as long as the snapshot.
  package init?(of reader: SnapshotReader) {
    let key = UnsafeRawBufferPointer(start: Self.key.utf8Start, count: Self.key.utf8CodeUnitCount)
    guard let entry = reader.entry(key) else { return nil }
    items = entry.value
  }

  /// Returns the experiment of a snapshot with a name; valid as long as the snapshot.
  ///
  /// - Throws: `.notFound`.
  package static func required(
    _ name: UnsafeRawBufferPointer, in reader: SnapshotReader
  ) throws(RemoraError) -> Experiment {
    if let experiment = Experiments(of: reader)?.named(name) { return experiment }
    throw RemoraError(.notFound, "there is no experiment \"\(String(decoding: name.prefix(200), as: UTF8.self))\"")
  }

  /// Returns the experiment with a name.
  package func named(_ name: UnsafeRawBufferPointer) -> Experiment? {
    var found: Experiment?
    walk { experiment in
      if compareBytes(experiment.name, name) == 0 { found = experiment }
      return found == nil
    }
    return found
  }

  /// Calls `body` with each experiment in order, until it returns false.
  package func forEach(_ body: (Experiment) -> Bool) {
    var names: Set<[UInt8]> = []
    walk { names.insert(Array($0.name)).inserted ? body($0) : true }
  }

  /// Adds a warning for each invalid part; `place` is the JSON Pointer of the experiments.
  func judge(at place: String, _ warnings: inout DocumentWarnings) {
    guard items.type != .null else { return }
    guard items.type == .array || items.type == .object else {
      return warnings.add(place, "is \(items.type.name), neither an array nor an object, and is ignored")
    }
    var names: Set<[UInt8]> = []
    for index in 0..<items.count {
      guard let (item, memberName) = item(at: index) else { continue }
      let place = "\(place)/\(memberName.map { pointerToken(Array($0)) } ?? "\(index)")"
      guard item.type == .object else {
        warnings.add(place, "is \(item.type.name), not an object, and is ignored")
        continue
      }
      guard let name = memberName ?? item.member("name")?.string, isUsable(name) else {
        warnings.add(place, "has no name, or its name is empty or contains a NUL; it is ignored")
        continue
      }
      guard names.insert(Array(name)).inserted else {
        warnings.add(place, "has the name of an earlier experiment, and is ignored")
        continue
      }
      judge(item, "variant", at: place, "a string", &warnings) { $0.string != nil }
      judge(item, "trackable", at: place, "a number", &warnings) { $0.double != nil }
      judge(item, "settings", at: place, "an array of strings", &warnings) { $0.isArrayOfStrings }
    }
  }

  private func judge(
    _ item: Value, _ name: StaticString, at place: String, _ wanted: StaticString, _ warnings: inout DocumentWarnings,
    _ isUsable: (Value) -> Bool
  ) {
    guard let value = item.member(name), value.type != .null, !isUsable(value) else { return }
    warnings.add("\(place)/\(name)", "is not \(wanted), and is ignored")
  }

  /// Calls `body` with each usable experiment, including duplicates of a name.
  private func walk(_ body: (Experiment) -> Bool) {
    for index in 0..<items.count {
      guard let (item, memberName) = item(at: index), item.type == .object,
        let name = memberName ?? item.member("name")?.string, let experiment = experiment(item, name)
      else { continue }
      if !body(experiment) { return }
    }
  }

  /// Returns an item, and its name if the items are members of an object.
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

/// An empty text with its NUL, which is never freed.
private var noText: UnsafeRawBufferPointer {
  let text: StaticString = ""
  return UnsafeRawBufferPointer(start: text.utf8Start, count: 0)
}

extension Value {
  fileprivate var isArrayOfStrings: Bool {
    type == .array && (0..<count).allSatisfy { element(at: $0)?.type == .string }
  }
}
