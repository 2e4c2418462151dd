// SPDX-License-Identifier: Apache-2.0
//
// The overlay as a pure function of the base and of what this process changes: run again when either changes.
// The base keeps every record, so the next diff still finds what is hidden here.

/// What this process does to one top-level key.
package enum OverlayChange {
  /// The key reads as this value, whether or not the base has it.
  case replaced(Entry)
  /// The key reads as absent.
  case hidden
}

/// Composes an overlay: a complete index of the effective keys and the values that replace the base's.
///
/// - Parameters:
///   - base: The image below; it must outlive the overlay.
///   - changes: Sorted by the bytes of the key, each key once.
/// - Returns: nil when nothing is changed: the base's own index is the effective one.
/// - Complexity: O(keys of base and changes).
package func composeOverlay(
  over base: Image, changes: [(key: [UInt8], change: OverlayChange)]
) throws(RemoraError) -> Image? {
  guard !changes.isEmpty else { return nil }
  let reader = base.reader(over: nil)
  var effective: [ImageEntry] = []
  effective.reserveCapacity(reader.count &+ changes.count)
  var rest = changes[...]
  for index in 0..<reader.count {
    guard let entry = reader.entry(at: index) else { throw RemoraError(.corrupt, "the base image is damaged") }
    var isReplaced = false
    while let next = rest.first {
      let order = next.key.withUnsafeBytes { compareBytes($0, entry.key) }
      guard order <= 0 else { break }
      if case .replaced(let own) = next.change { effective.append(.own(own)) }
      isReplaced = isReplaced || order == 0
      rest.removeFirst()
    }
    if !isReplaced { effective.append(.base(entry)) }
  }
  for next in rest {
    if case .replaced(let own) = next.change { effective.append(.own(own)) }
  }
  return try writeImage(base.metadata, entries: effective)
}
