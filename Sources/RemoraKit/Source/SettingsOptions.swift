// SPDX-License-Identifier: Apache-2.0
//
// The options of settings, and their conversion to the core's.

internal import Remora

extension SettingsSource {
  /// The options of settings; see docs/settings.md.
  public struct Options: Sendable {
    /// Query items of every request, such as the user, the segment or the version of the application. Settings with
    /// different items, or with another order of the items, are different sources. Default: none.
    public var params: RequestParameters
    /// The member of the document that contains the dictionary. Nil means that the document is the dictionary.
    public var rootKey: String?
    /// The name of an additional dictionary under the same URL, which is opened instead of the main one. Nil means the
    /// main dictionary. `SettingsSource.tag` opens a tag with the options of the main dictionary.
    public var tag: String?
    /// The name of the query item that contains the tag. Default: `"tag"`.
    public var tagItem: String
    /// When fetched data becomes live. Nil means `.nextSetup`, so that values do not change during a session. But if
    /// the source has no data, the first fetched data becomes live at once. A tag is always `.immediate`.
    public var activation: Activation?
    /// Whether nothing is stored on disk. Default: false.
    public var memoryOnly: Bool
    /// How long data is fresh after a successful refresh. While data is fresh, `Source.wait` sends no request. Nil
    /// means the time in the server's Cache-Control header, or else an hour. With zero, data is never fresh.
    public var ttl: Duration?
    /// The packaged settings, in the form in which the server would send them. Default: none.
    public var packaged: PackagedData?
    /// Whether each opening starts a refresh in the background. Nil means true.
    public var fetchAtOpen: Bool?
    /// The approximate interval of refreshes in the background, at least a second. Nil means none.
    public var refreshInterval: Duration?
    /// Whether overrides are stored, and restored at the next opening. Default: false.
    public var persistOverrides: Bool
    /// The rules for accepting fetched data. Default: none.
    public var accepts: AcceptanceRules
    /// Called with the events of the source, on the client's thread of callbacks. The first event reports the state at
    /// the opening. In the closure, use `event.source`: a closure that captures the source keeps it open. Default: nil.
    public var onEvent: (@Sendable (Event) -> Void)?

    /// Creates options. The properties describe the parameters.
    public init(
      params: RequestParameters = [:], rootKey: String? = nil, tag: String? = nil, tagItem: String = "tag",
      activation: Activation? = nil, memoryOnly: Bool = false, ttl: Duration? = nil, packaged: PackagedData? = nil,
      fetchAtOpen: Bool? = nil, refreshInterval: Duration? = nil, persistOverrides: Bool = false,
      accepts: AcceptanceRules = AcceptanceRules(), onEvent: (@Sendable (Event) -> Void)? = nil
    ) {
      (self.params, self.rootKey, self.tag, self.tagItem) = (params, rootKey, tag, tagItem)
      (self.activation, self.memoryOnly, self.ttl) = (activation, memoryOnly, ttl)
      (self.packaged, self.fetchAtOpen, self.refreshInterval) = (packaged, fetchAtOpen, refreshInterval)
      (self.persistOverrides, self.accepts, self.onEvent) = (persistOverrides, accepts, onEvent)
    }
  }
}

extension SettingsSource.Options {
  /// Returns the core's options.
  ///
  /// - Throws: `.invalidArgument` naming the option.
  func core(_ url: String?) throws(Remora.RemoraError) -> SettingsOptions {
    var options = SettingsOptions()
    if let url { options.url = url }
    options.parameters = Array(params)
    options.rootKey = rootKey
    options.tag = tag
    options.tagItem = tagItem
    options.activation = activation.map(ActivationMode.init)
    options.packaged = packaged?.core
    options.isMemoryOnly = memoryOnly
    if let ttl { options.lifetime = try Lifetime(ttl: ttl) }
    options.opening = try OpeningOptions(
      fetch: fetchAtOpen, refreshInterval, persistOverrides: persistOverrides, accepts)
    return options
  }
}

extension Lifetime {
  /// Creates the lifetime from an option: zero means never fresh.
  ///
  /// - Throws: `.invalidArgument` for a negative duration.
  init(ttl: Duration) throws(Remora.RemoraError) {
    guard ttl >= .zero else { throw .invalidArgument("ttl_ms", "is negative") }
    self = ttl == .zero ? .none : .ms(ttl.ms)
  }
}
