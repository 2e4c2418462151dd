// SPDX-License-Identifier: Apache-2.0
//
// The effect of a newer document on the keys of the previous document.

/// The effect of a newer document on keys that it does not list.
package enum UpdateRule: Sendable {
  /// The keys are removed.
  case replaceAll
  /// The keys stay live in the processes that have them. A document removes a key by the value null.
  case keepUnlisted

  /// Returns the keys that a document removes by null and that the previous document did not remove.
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
