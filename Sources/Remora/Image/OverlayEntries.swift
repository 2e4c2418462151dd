// SPDX-License-Identifier: Apache-2.0
//
// Computes the effective entries of a snapshot, from which an overlay is written. A pure function of the base and of
// the entries that this process adds. The base keeps every record, so the next diff also finds replaced and hidden
// ones.

/// Returns the entries of a base, some replaced by those of `own`, in the order of keys.
///
/// - Parameters:
///   - own: Sorted by the bytes of the key, each key once.
///   - base: The image below; it and the memory of `own` must outlive the result.
/// - Complexity: O(keys of both).
package func layEntries(_ own: [Entry], over base: Image) throws(RemoraError) -> [ImageEntry] {
  let reader = base.reader(over: nil)
  var effective: [ImageEntry] = []
  effective.reserveCapacity(reader.count &+ own.count)
  var rest = own[...]
  for index in 0..<reader.count {
    guard let entry = reader.entry(at: index) else { throw .damagedFile }
    var isReplaced = false
    while let next = rest.first {
      let order = compareBytes(next.key, entry.key)
      guard order <= 0 else { break }
      effective.append(.own(next))
      isReplaced = isReplaced || order == 0
      rest.removeFirst()
    }
    if !isReplaced { effective.append(.base(entry)) }
  }
  for next in rest { effective.append(.own(next)) }
  return effective
}
