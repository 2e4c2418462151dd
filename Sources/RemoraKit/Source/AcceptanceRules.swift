// SPDX-License-Identifier: Apache-2.0
//
// What fetched data must have to be accepted, besides a valid signature.

internal import Remora

/// Rules for fetched data. Data that breaks a rule is refused with `.schema`. A forced refresh ignores all rules except
/// `schema`.
public struct AcceptanceRules: Hashable, Sendable {
  /// The smallest number of keys. Nil means none.
  public var minKeys: Int?
  /// The smallest number of keys, as a percentage (1 to 100) of the keys in the newest version. Nil means none.
  public var minKeysPercent: Int?
  /// The keys that must exist and not be null.
  public var requiredKeys: [String]
  /// The text of a JSON Schema, for each record of a collection, each namespace of a bundle (with all its members), or
  /// the dictionary of settings. Nil means none.
  public var schema: String?

  /// Creates rules. The properties describe the parameters.
  public init(
    minKeys: Int? = nil, minKeysPercent: Int? = nil, requiredKeys: [String] = [], schema: String? = nil
  ) {
    (self.minKeys, self.minKeysPercent) = (minKeys, minKeysPercent)
    (self.requiredKeys, self.schema) = (requiredKeys, schema)
  }

  /// Returns the core's rules.
  ///
  /// - Throws: `.invalidArgument` naming the rule.
  func core() throws(Remora.RemoraError) -> DocumentShape {
    var shape = DocumentShape()
    if minKeys == 0 { throw .invalidArgument("min_keys", "is 0; nil means no limit") }
    if minKeysPercent == 0 { throw .invalidArgument("min_keys_percent", "is 0; nil means no limit") }
    try shape.set(leastKeys: Int32(clamping: minKeys ?? 0), percent: Int32(clamping: minKeysPercent ?? 0))
    shape.set(requiredKeys: requiredKeys)
    if let schema { shape.schema = try Schema(json: Array(schema.utf8)) }
    return shape
  }
}
