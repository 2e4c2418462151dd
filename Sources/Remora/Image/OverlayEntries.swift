// SPDX-License-Identifier: Apache-2.0
//
// The effective entries of a snapshot, of which an overlay is written. A pure function of the base and of what this
// process lays over it. The base keeps every record, so the next diff still finds what is replaced or hidden here.

/// The entries of a base with others in their places, in the order of keys.
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
    guard let entry = reader.entry(at: index) else { throw RemoraError(.corrupt, "the base image is damaged") }
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
