// SPDX-License-Identifier: Apache-2.0
//
// The keys of a snapshot beside the document that it was made of: which of them are of that document, and in its order.

/// A key that is active.
package struct Namespace {
  /// Where its value is.
  package let entry: Entry
  /// Whether the live document lists it.
  package let isOfDocument: Bool
  /// Whether it comes first in the defaults.
  package let isDefault: Bool
  package let origin: Origin
}

extension Source {
  /// The active keys of a snapshot: those of its document in their order, then the others by their bytes. They live as
  /// long as the snapshot.
  ///
  /// - Throws: `.invalidArgument` for a source that does not tell its document's keys from others; `.closed`.
  package func namespaces(of snapshot: Snapshot) throws(RemoraError) -> [Namespace] {
    try core.requireOpen()
    guard case .keepUnlisted = dialect.updates else {
      throw .invalidArgument("source", "has no namespaces: it is no bundle")
    }
    guard snapshot.isOfNoSource || snapshot.base.metadata.identity == dialect.identity else {
      throw .invalidArgument("snapshot", "is of another source")
    }
    let document = snapshot.base.reader(over: nil)
    var listed: [(position: UInt32, namespace: Namespace)] = []
    var others: [Namespace] = []
    for index in 0..<snapshot.count {
      guard let entry = snapshot.reader.pointee.entry(at: index), entry.value.type != .null else { continue }
      let said = document.entry(entry.key).flatMap { $0.value.type == .null ? nil : $0 }
      let namespace = Namespace(
        entry: entry, isOfDocument: said != nil,
        isDefault: options.defaults?.first.map { isSame($0, entry.key) } ?? false,
        origin: snapshot.origin(of: entry.key) ?? .none)
      if let said { listed.append((said.position, namespace)) } else { others.append(namespace) }
    }
    listed.sort { $0.position < $1.position }
    return listed.map(\.namespace) + others
  }
}

private func isSame(_ key: [UInt8], _ other: UnsafeRawBufferPointer) -> Bool {
  key.count == other.count && key.withBytes { compareBytes($0, other) == 0 }
}
