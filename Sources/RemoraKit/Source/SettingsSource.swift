// SPDX-License-Identifier: Apache-2.0
//
// Settings: one dictionary at a URL, with tags and waits.

internal import Remora
internal import Synchronization

/// A dictionary of keys and values at a URL, the format of PAPulse Remote Settings.
///
/// `@unchecked Sendable`: the properties that the class adds to `Source` are constant, and a mutex guards the tags.
public final class SettingsSource: Source, @unchecked Sendable {
  /// The options of settings; see docs/settings.md.
  public struct Options: Sendable {
    /// Query items that describe the user and the application. Settings with other items are another source.
    public var params: KeyValuePairs<String, String> = [:]
    /// The member of the document that contains the dictionary; nil if the document is the dictionary.
    public var rootKey: String?
    /// The query item that contains a tag.
    public var tagItem = "tag"
    /// When fetched data becomes live; nil means at the next setup, so that a session keeps its values. Of a tag always
    /// immediately.
    public var activation: Activation?
    public var packaged: PackagedData?
    /// Whether nothing is stored on disk.
    public var memoryOnly = false
    /// How long fetched data counts as fresh for waits. Nil means as long as the server states, or else an hour. With
    /// zero, every wait sends a request.
    public var ttl: Duration?
    /// Whether opening starts a refresh in the background.
    public var fetchAtOpen = true
    /// The approximate interval of automatic refreshes, at least a second; nil means none.
    public var refreshInterval: Duration?
    /// Whether overrides are stored, and read at the next opening.
    public var persistOverrides = false

    /// Creates options with defaults.
    public init(params: KeyValuePairs<String, String> = [:], activation: Activation? = nil) {
      self.params = params
      self.activation = activation
    }
  }

  private let url: String?
  private let options: Options
  /// The tags that were opened by this source.
  private let tags = Mutex<[String: SettingsSource]>([:])

  init(_ opened: OpenSource, of client: Client, _ url: String?, _ options: Options) {
    self.url = url
    self.options = options
    super.init(opened, of: client)
  }

  /// Returns the settings of a tag: a separate dictionary under the same URL, with the options of these settings, which
  /// becomes live at once. Sends no request. The tag stays open as long as these settings.
  ///
  /// - Throws: `.invalidArgument` for the tag; `.closed`.
  public func tag(_ tag: String) throws(RemoraError) -> SettingsSource {
    if let open = tags.withLock({ $0[tag] }) { return open }
    var options = options
    options.activation = nil
    options.packaged = nil
    options.fetchAtOpen = false
    options.refreshInterval = nil
    let opened = try call { () throws(Remora.RemoraError) in try client.core.openSettings(options.core(url, tag: tag)) }
    let source = SettingsSource(opened, of: client, url, options)
    return tags.withLock { tags in
      let kept = tags[tag] ?? source
      tags[tag] = kept
      return kept
    }
  }

  /// Waits for the fresh value of a key in a tag, decoded as the type of `default`.
  ///
  ///     let brush = await settings.value("brush", tag: "editor", timeout: .seconds(2), default: 3)
  ///
  /// - Parameter timeout: The longest time to wait. Zero sends no request. Nil means that only the limits of the
  ///   client's configuration apply.
  /// - Returns: The fresh value if it arrives in time, otherwise the value that was live at the call. `default` if that
  ///   value is missing, null or of another type, or the tag is invalid. If the task is cancelled, it returns at once.
  public func value<Decoded: Decodable>(
    _ key: String, tag: String, timeout: Duration? = nil, default: Decoded
  ) async -> Decoded {
    guard let tagged = try? self.tag(tag) else { return `default` }
    return await tagged.value(key, timeout: timeout, default: `default`)
  }

  /// Waits for the fresh value of a key, decoded as the type of `default`; see the function with a tag. Unless these
  /// settings are activated immediately, fetched data is staged, and the result is the live value.
  public func value<Decoded: Decodable>(_ key: String, timeout: Duration?, default: Decoded) async -> Decoded {
    guard let before = try? snapshot else { return `default` }
    guard let fresh = try? await wait(timeout: timeout) else { return before.value(key, default: `default`) }
    return fresh.value(key, default: `default`)
  }
}

extension SettingsSource.Options {
  /// Returns the core's options.
  func core(_ url: String?, tag: String? = nil) throws(Remora.RemoraError) -> SettingsOptions {
    var options = SettingsOptions()
    if let url { options.url = url }
    options.parameters = params.map { (name: $0.key, value: $0.value) }
    options.rootKey = rootKey
    options.tag = tag
    options.tagItem = tagItem
    options.activation = activation.map(ActivationMode.init)
    options.packaged = packaged?.core
    options.isMemoryOnly = memoryOnly
    if let ttl {
      guard ttl >= .zero else { throw .invalidArgument("ttl", "is negative") }
      options.lifetime = ttl == .zero ? .none : .ms(ttl.ms)
    }
    options.opening = try OpeningOptions(fetch: fetchAtOpen, refreshInterval, persistOverrides: persistOverrides)
    return options
  }
}
