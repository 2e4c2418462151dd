// SPDX-License-Identifier: Apache-2.0
//
// What a document must have to be accepted by a host: enough keys, so that a server that sends an almost empty document
// by mistake does not take the settings of all hosts, and values that satisfy a schema.

/// What fetched data must have to be accepted.
package struct DocumentShape: Sendable {
  /// The smallest number of keys; nil means none.
  package private(set) var leastKeys: Int?
  /// The smallest number of keys, as a percentage of those of the newest version; nil means none.
  package private(set) var leastPercent: Int?
  /// The keys that must exist.
  package private(set) var requiredKeys: [[UInt8]] = []
  /// The schema of a record, of an element of a bundle, or of a dictionary.
  package var schema: Schema?

  package init() {}

  /// Sets the smallest numbers of keys; 0 means none.
  ///
  /// - Throws: `.invalidArgument`.
  package mutating func set(leastKeys count: Int32, percent: Int32) throws(RemoraError) {
    guard count >= 0 else { throw .invalidArgument("min_keys", "is \(count), but must not be negative") }
    guard (0...100).contains(percent) else {
      throw .invalidArgument("min_keys_percent", "is \(percent), but must be from 1 to 100, or 0 for no limit")
    }
    leastKeys = count == 0 ? nil : Int(count)
    leastPercent = percent == 0 ? nil : Int(percent)
  }

  package mutating func set(requiredKeys keys: [String]) { requiredKeys = keys.map { Array($0.utf8) } }

  /// The shape without the limits that a forced refresh ignores.
  var whenForced: DocumentShape {
    var shape = DocumentShape()
    shape.schema = schema
    return shape
  }

  /// Checks the content that a refresh would accept.
  ///
  /// - Parameter newest: The newest accepted image.
  /// - Throws: `.schema`.
  func check(_ draft: Draft, after newest: Image?, of dialect: any Dialect) throws(RemoraError) {
    try checkKeys(draft, after: newest, hiding: dialect.hiding)
    if let problem = try schema?.problem(of: draft, of: dialect) { throw RemoraError(.schema, problem) }
  }

  private func checkKeys(_ draft: Draft, after newest: Image?, hiding: HidingRule) throws(RemoraError) {
    guard leastKeys != nil || leastPercent != nil || !requiredKeys.isEmpty else { return }
    let present = draft.entries.filter { hiding.counts($0) }
    if let leastKeys, present.count < leastKeys {
      throw RemoraError(.schema, "the document has \(keys(present.count)), but min_keys is \(leastKeys)")
    }
    if let leastPercent, let newest {
      let before = Draft(of: newest).entries.count { hiding.counts($0) }
      guard present.count &* 100 >= before &* leastPercent else {
        let change = "the document has \(keys(present.count)), and the version before has \(before)"
        throw RemoraError(.schema, "\(change), but min_keys_percent is \(leastPercent)")
      }
    }
    guard !requiredKeys.isEmpty else { return }
    let names = Set(present.map { Array($0.key) })
    for key in requiredKeys where !names.contains(key) {
      throw RemoraError(.schema, "the document has no key \(shown(key)), which required_keys lists")
    }
  }

  private func keys(_ count: Int) -> String { count == 1 ? "1 key" : "\(count) keys" }
}

extension HidingRule {
  /// Whether an entry counts as a key. Filters depend on the context, so the keys that they hide count.
  fileprivate func counts(_ entry: Entry) -> Bool {
    if case .nulls = self { entry.value.type != .null } else { true }
  }
}
