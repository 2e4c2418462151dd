// SPDX-License-Identifier: Apache-2.0
//
// Settings: one dictionary at a URL, with tags and waits.

internal import Remora
internal import Synchronization

/// A dictionary of keys and values at a URL, in the format of the PAPulse SDK (Picsart's client of remote settings).
///
/// `@unchecked Sendable`: the properties that the class adds to `Source` are constant, and a mutex guards the tags.
public final class SettingsSource: Source, @unchecked Sendable {
  private let url: String?
  private let options: Options
  /// The tags that were opened by this source.
  private let tags = Mutex<[String: SettingsSource]>([:])

  init(_ opened: OpenSource, of client: Client, _ url: String?, _ options: Options) {
    self.url = url
    self.options = options
    super.init(opened, of: client)
  }

  /// Returns the settings of a tag: a separate dictionary under the same URL, whose fetched data is live at once. Sends
  /// no request. The tag has the options of these settings, except for those that concern the main dictionary only, and
  /// stays open as long as these settings. Use `Options.tag` to open a tag with other options.
  ///
  /// The first call for a tag reads files on the calling thread. Later calls ignore `ttl` and `memoryOnly`.
  ///
  /// - Parameters:
  ///   - tag: The name, 1 to 256 bytes of UTF-8.
  ///   - ttl: How long data of the tag is fresh, zero for never. Nil means as in these settings.
  ///   - memoryOnly: Whether nothing of the tag is stored on disk. Nil means as in these settings.
  /// - Throws: `.invalidArgument` for the tag or `ttl`; `.closed`.
  public func tag(_ tag: String, ttl: Duration? = nil, memoryOnly: Bool? = nil) throws(RemoraError) -> SettingsSource {
    if let open = tags.withLock({ $0[tag] }) { return open }
    let source = try client.settings(url, options.forTag(tag, ttl: ttl, memoryOnly: memoryOnly))
    return tags.withLock { tags in
      let kept = tags[tag] ?? source
      tags[tag] = kept
      return kept
    }
  }

  /// Refreshes a tag in the background, for later waits and reads. Returns at once. Sends no request for fresh data.
  ///
  /// - Throws: The errors of `tag` and of `Source.prefetch`.
  public func prefetch(tag: String) throws(RemoraError) { try self.tag(tag).prefetch() }

  /// Waits for the fresh value of a key in a tag, decoded as the type of `default`.
  ///
  ///     let brush = await settings.value("brush", tag: "editor", timeout: .seconds(2), default: 3)
  ///
  /// - Parameter timeout: The longest time to wait. Zero sends no request. Nil means that only the limits of the
  ///   client's configuration apply.
  /// - Returns: The fresh value if it arrives in time, otherwise the value that was live at the call. `default` if that
  ///   value is missing, null or of another type, or the tag is invalid. Returns at once if the task is cancelled.
  public func value<Decoded: Decodable>(
    _ key: String, tag: String, timeout: Duration? = nil, default: Decoded
  ) async -> Decoded {
    guard let tagged = try? self.tag(tag) else { return `default` }
    return await tagged.value(key, timeout: timeout, default: `default`)
  }

  /// Waits for the fresh value of a key, decoded as the type of `default`; see the function with a tag. Unless the
  /// option `activation` is `.immediate`, fetched data is staged, and the result is the live value.
  public func value<Decoded: Decodable>(_ key: String, timeout: Duration?, default: Decoded) async -> Decoded {
    guard let before = try? snapshot else { return `default` }
    guard let fresh = try? await wait(timeout: timeout) else { return before.value(key, default: `default`) }
    return fresh.value(key, default: `default`)
  }
}
