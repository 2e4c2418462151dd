// SPDX-License-Identifier: Apache-2.0

/// An active key of a snapshot: its document lists the key, or another layer has it.
package struct Namespace {
  package let entry: Entry
  /// Whether the live document lists it.
  package let isOfDocument: Bool
  /// Whether it is the first key of the defaults.
  package let isDefault: Bool
  package let origin: Origin
}

extension Snapshot {
  /// Returns the active keys: those of the document in their order, then the others sorted by bytes. They are valid as
  /// long as the snapshot.
  ///
  /// - Parameter defaultKey: The first key of the defaults.
  func namespaces(defaultKey: [UInt8]?) -> [Namespace] {
    let document = base.reader(over: nil)
    var listed: [(position: UInt32, namespace: Namespace)] = []
    var others: [Namespace] = []
    for index in 0..<count {
      guard let entry = reader.pointee.entry(at: index), entry.value.type != .null else { continue }
      let said = document.entry(entry.key).flatMap { $0.value.type == .null ? nil : $0 }
      let namespace = Namespace(
        entry: entry, isOfDocument: said != nil,
        isDefault: defaultKey?.withBytes { compareBytes($0, entry.key) == 0 } ?? false,
        origin: origin(of: entry.key) ?? .none)
      if let said { listed.append((said.position, namespace)) } else { others.append(namespace) }
    }
    listed.sort { $0.position < $1.position }
    return listed.map(\.namespace) + others
  }
}
