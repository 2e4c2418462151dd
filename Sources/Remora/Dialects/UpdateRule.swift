// SPDX-License-Identifier: Apache-2.0
//
// What a newer document does to the keys of the document before it.

/// What a newer document does to the keys that it does not list.
package enum UpdateRule: Sendable {
  /// These keys are gone.
  case replaceAll
  /// These keys stay live in the processes that have them. A document removes a key by null.
  case keepUnlisted

  /// The keys that a document removes by null and the document before it did not remove.
  package func removedKeys(in image: Image, after before: Image?) -> [[UInt8]] {
    guard case .keepUnlisted = self else { return [] }
    let (now, earlier) = (image.reader(over: nil), before?.reader(over: nil))
    defer { withExtendedLifetime((image, before)) {} }
    return (0..<now.count).compactMap { index in
      guard let entry = now.entry(at: index), entry.value.type == .null,
        earlier?.entry(entry.key)?.value.type != .null
      else { return nil }
      return Array(entry.key)
    }
  }
}
