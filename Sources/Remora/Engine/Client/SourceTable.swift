// SPDX-License-Identifier: Apache-2.0
//
// The open sources of a client, found by identity and listed in the order of opening, for any number of sources.

struct SourceTable {
  /// The sources in the order of opening; nil where one was removed.
  private var slots: [Source?] = []
  /// The index in `slots` of each source, by the bytes of its identity: text compares equal if it looks the same.
  private var places: [[UInt8]: Int] = [:]

  /// The sources in the order of opening.
  var all: [Source] { slots.compactMap(\.self) }

  /// Returns the source with an identity; nil if the table does not have it.
  subscript(identity: String) -> Source? { places[Array(identity.utf8)].flatMap { slots[$0] } }

  /// Adds a source whose identity the table does not have.
  mutating func append(_ source: Source) {
    places[Array(source.dialect.identity.utf8)] = slots.count
    slots.append(source)
  }

  /// Removes a source; does nothing if the table does not have it.
  mutating func remove(_ source: Source) {
    let identity = Array(source.dialect.identity.utf8)
    guard let place = places[identity], slots[place] === source else { return }
    places[identity] = nil
    slots[place] = nil
    if places.count < slots.count / 2 { compact() }
  }

  /// Removes the empty slots, so that memory use is proportional to the number of sources.
  private mutating func compact() {
    slots.removeAll { $0 == nil }
    for (place, source) in slots.enumerated() {
      if let source { places[Array(source.dialect.identity.utf8)] = place }
    }
  }
}
