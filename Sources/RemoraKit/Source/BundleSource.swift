// SPDX-License-Identifier: Apache-2.0
//
// Bundles: one versioned document of namespaces.

internal import Remora

/// A bundle of namespaces, the format of Snowplow's remote configuration. A key is a namespace.
///
/// `@unchecked Sendable`: the class adds no property to `Source`.
public final class BundleSource: Source, @unchecked Sendable {
  /// The options of a bundle; see docs/bundles.md.
  public struct Options: Sendable {
    /// The HTTP method of requests.
    public enum Method: String, CaseIterable, Sendable {
      case get, post
    }

    /// Distinguishes bundles of one URL.
    public var name = ""
    public var method = Method.get
    /// The required beginning of `$schema` after its scheme; nil means that of Snowplow's documents.
    public var acceptedSchema: String?
    /// The default bundle, or only the array of its elements: live until a bundle was fetched.
    public var defaultBundle: JSONValue?
    /// The version of the default bundle, 1 or higher; nil means the version in it.
    public var defaultVersion: Int64?
    /// Whether opening starts a refresh in the background. Nil means true, unless the bundle has no URL.
    public var fetchAtOpen: Bool?
    /// The approximate interval of automatic refreshes, at least a second; nil means none.
    public var refreshInterval: Duration?
    /// Whether overrides are stored, and read at the next opening.
    public var persistOverrides = false

    /// Creates options with defaults.
    public init() {}
  }

  /// A namespace that is live.
  public struct Namespace: Hashable, Sendable {
    public let name: String
    /// Whether the bundle lists it; otherwise it was kept from an earlier bundle or created by an override.
    public let isInBundle: Bool
    /// Whether it is the first namespace of the default bundle.
    public let isDefault: Bool
    public let origin: Origin
  }

  /// Returns the namespaces of a snapshot of this bundle, or of the live one for nil: those of the bundle in its order,
  /// then the others.
  ///
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

extension BundleSource.Options {
  /// Returns the core's options.
  func core(_ url: String?) throws(Remora.RemoraError) -> BundleOptions {
    var options = BundleOptions()
    options.url = url
    options.name = name
    options.method = method == .get ? .get : .post
    if let acceptedSchema { options.acceptedSchema = acceptedSchema }
    options.defaultBundle = defaultBundle.map { Array($0.description.utf8) }
    options.defaultVersion = defaultVersion
    options.opening = try OpeningOptions(
      fetch: fetchAtOpen ?? (url != nil), refreshInterval, persistOverrides: persistOverrides)
    return options
  }
}
