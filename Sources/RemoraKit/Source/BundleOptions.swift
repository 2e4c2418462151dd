// SPDX-License-Identifier: Apache-2.0
//
// The options of a bundle, and their conversion to the core's.

internal import Remora

extension BundleSource {
  /// The options of a bundle; see docs/bundles.md. Reads return a fetched bundle at once.
  public struct Options: Sendable {
    /// The HTTP method of requests.
    public enum Method: String, CaseIterable, Sendable {
      /// A GET.
      case get
      /// A POST with an empty body.
      case post
    }

    /// Distinguishes bundles that have the same URL, or no URL. Default: `""`.
    public var name: String
    /// The text that must follow `http://` or `https://` in `$schema`, up to and including the first number of the
    /// version. Nil means version 1 of the schema of the Snowplow trackers.
    public var acceptedSchema: String?
    /// The method of requests. Default: `.get`.
    public var method: Method
    /// The default bundle, or only the array of its elements. The default bundle is live until a bundle is fetched.
    /// After that, a property that is missing in a fetched namespace is taken from the same namespace of the default
    /// bundle. Default: none.
    public var defaultBundle: JSONValue?
    /// The version of the default bundle, 1 or higher. Nil means the `configurationVersion` in its text. If the text
    /// has no version, every fetched bundle is newer.
    public var defaultVersion: Int64?
    /// Whether each opening starts a refresh in the background. Nil means true, unless the bundle has no URL.
    public var fetchAtOpen: Bool?
    /// The approximate interval of refreshes in the background, at least a second. Nil means none.
    public var refreshInterval: Duration?
    /// Whether overrides are stored, and restored at the next opening. Default: false.
    public var persistOverrides: Bool
    /// The rules for accepting fetched data. Default: none.
    public var accepts: AcceptanceRules
    /// Called with the events of the source, on the client's thread of callbacks. The first event reports the cached or
    /// default bundle, if one exists. In the closure, use `event.source`: a closure that captures the source keeps the
    /// source open. Default: nil.
    public var onEvent: (@Sendable (Event) -> Void)?

    /// Creates options. The properties describe the parameters.
    public init(
      name: String = "", acceptedSchema: String? = nil, method: Method = .get, defaultBundle: JSONValue? = nil,
      defaultVersion: Int64? = nil, fetchAtOpen: Bool? = nil, refreshInterval: Duration? = nil,
      persistOverrides: Bool = false, accepts: AcceptanceRules = AcceptanceRules(),
      onEvent: (@Sendable (Event) -> Void)? = nil
    ) {
      (self.name, self.acceptedSchema, self.method) = (name, acceptedSchema, method)
      (self.defaultBundle, self.defaultVersion) = (defaultBundle, defaultVersion)
      (self.fetchAtOpen, self.refreshInterval) = (fetchAtOpen, refreshInterval)
      (self.persistOverrides, self.accepts, self.onEvent) = (persistOverrides, accepts, onEvent)
    }
  }
}

extension BundleSource.Options {
  /// Returns the core's options.
  ///
  /// - Throws: `.invalidArgument` naming the option.
  func core(_ url: String?) throws(Remora.RemoraError) -> BundleOptions {
    var options = BundleOptions()
    options.url = url
    options.name = name
    options.method = method == .get ? .get : .post
    if let acceptedSchema { options.acceptedSchema = acceptedSchema }
    options.defaultBundle = defaultBundle.map { Array($0.description.utf8) }
    options.defaultVersion = defaultVersion
    options.opening = try OpeningOptions(
      fetch: fetchAtOpen, refreshInterval, persistOverrides: persistOverrides, accepts)
    return options
  }
}
