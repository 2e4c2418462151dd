// SPDX-License-Identifier: Apache-2.0
//
// Bundles: one versioned document of namespaces.

internal import Remora

/// A bundle: a versioned document in the format of Snowplow's trackers (analytics libraries). A key is a namespace.
///
/// `@unchecked Sendable`: the class adds no property to `Source`.
public final class BundleSource: Source, @unchecked Sendable {
  /// A namespace of a bundle.
  public struct Namespace: Hashable, Sendable {
    /// The name, which is the key for reads.
    public let name: String
    /// Whether the live bundle lists the namespace. If not, an earlier bundle listed it, or an override has created it.
    public let isInBundle: Bool
    /// Whether this is the first namespace of the default bundle.
    public let isDefault: Bool
    /// The origin of the value.
    public let origin: Origin

    /// Whether the value contains an override.
    public var hasOverride: Bool { origin == .override }
  }

  /// Returns the namespaces of a snapshot of this bundle, except for namespaces that the bundle removes. The namespaces
  /// that the bundle lists are first, in its order. The others follow, sorted by the bytes of their names.
  ///
  /// - Parameter snapshot: A snapshot of this bundle, such as `new` of an event. Nil means the live one.
  /// - Throws: `.invalidArgument` for a snapshot of another source; `.closed`.
  public func namespaces(of snapshot: Snapshot? = nil) throws(RemoraError) -> [Namespace] {
    try call(of: label) { () throws(Remora.RemoraError) in
      let (owner, namespaces) = try core.namespaces(of: snapshot?.core)
      return withExtendedLifetime(owner) {
        namespaces.map { namespace in
          Namespace(
            name: String(decoding: namespace.entry.key, as: UTF8.self), isInBundle: namespace.isOfDocument,
            isDefault: namespace.isDefault, origin: Origin(namespace.origin))
        }
      }
    }
  }
}
