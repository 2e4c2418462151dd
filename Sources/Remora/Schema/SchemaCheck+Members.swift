// SPDX-License-Identifier: Apache-2.0
//
// The conditions on the members of objects.

/// The members of an object or a dictionary that a schema sees.
struct SchemaObject {
  private let instance: SchemaInstance
  /// The names that are hidden here.
  private let hidden: [[UInt8]]

  /// Returns nil unless a value is an object.
  init?(_ instance: SchemaInstance, hiding names: [[UInt8]], of root: UnsafeRawPointer?) {
    self.instance = instance
    switch instance {
    case .value(let value):
      guard value.type == .object else { return nil }
      hidden = value.node == root ? names : []
    case .dictionary: hidden = []
    case .name: return nil
    }
  }

  func hides(_ name: some Collection<UInt8>) -> Bool {
    hidden.contains { $0.elementsEqual(name) }
  }

  /// The number of members, hidden ones included.
  var allCount: Int {
    switch instance {
    case .value(let value): value.count
    case .dictionary(let entries): entries.count
    case .name: 0
    }
  }

  var count: Int { hidden.isEmpty ? allCount : (0..<allCount).count { member(at: $0) != nil } }

  /// The member at a position; nil if it is hidden.
  func member(at index: Int) -> (name: UnsafeRawBufferPointer, value: Value)? {
    switch instance {
    case .value(let value): value.member(at: index).flatMap { hides($0.name) ? nil : $0 }
    case .dictionary(let entries):
      (entries[entries.startIndex &+ index].key, entries[entries.startIndex &+ index].value)
    case .name: nil
    }
  }

  func member(named name: [UInt8]) -> Value? {
    switch instance {
    case .value(let value): hides(name) ? nil : name.withBytes { value.member(named: $0) }
    case .dictionary(let entries): name.withBytes { entries.entry($0)?.value }
    case .name: nil
    }
  }
}

extension ArraySlice<Entry> {
  /// Returns the entry with a key; they are sorted by their keys.
  fileprivate func entry(_ key: UnsafeRawBufferPointer) -> Entry? {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low &+ high) / 2
      if compareBytes(self[middle].key, key) < 0 { low = middle &+ 1 } else { high = middle }
    }
    return low < endIndex && compareBytes(self[low].key, key) == 0 ? self[low] : nil
  }
}

extension SchemaCheck {
  mutating func holds(
    _ condition: SchemaCondition, _ object: SchemaObject, _ instance: SchemaInstance
  ) throws(SchemaLimit) -> Bool {
    switch condition {
    case .members(let members): return try holds(members, object)
    case .required(let names): return names.allSatisfy { object.hides($0) || object.member(named: $0) != nil }
    case .memberCount(let range): return range.contains(object.count)
    case .memberNames(let node):
      for index in 0..<object.allCount {
        guard let (name, _) = object.member(at: index) else { continue }
        if try !isValid(.name(name), node) { return false }
      }
      return true
    case .requiredWith(let pairs):
      for (name, others) in pairs where object.member(named: name) != nil {
        guard others.allSatisfy({ object.member(named: $0) != nil }) else { return false }
      }
      return true
    case .schemaWith(let pairs):
      for (name, node) in pairs where object.member(named: name) != nil {
        if try !isValid(instance, node) { return false }
      }
      return true
    default: return true
    }
  }

  private mutating func holds(_ members: SchemaMembers, _ object: SchemaObject) throws(SchemaLimit) -> Bool {
    guard !members.patterns.isEmpty || members.others != nil else {
      for (name, node) in members.named {
        guard let value = object.member(named: name) else { continue }
        if try !isValid(value, at: name, node) { return false }
      }
      return true
    }
    // Both are sorted by their names.
    var named = members.named[...]
    for index in 0..<object.allCount {
      guard let (name, value) = object.member(at: index) else { continue }
      var isNamed = false
      while let first = named.first {
        let order = first.name.withBytes { compareBytes($0, name) }
        guard order <= 0 else { break }
        named.removeFirst()
        guard order == 0 else { continue }
        isNamed = true
        if try !isValid(value, at: first.name, first.node) { return false }
      }
      for (pattern, node) in members.patterns where try matches(pattern, name) {
        isNamed = true
        if try !isValid(value, at: Array(name), node) { return false }
      }
      if !isNamed, let others = members.others, try !isValid(value, at: Array(name), others) { return false }
    }
    return true
  }
}
