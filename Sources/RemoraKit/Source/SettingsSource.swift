// SPDX-License-Identifier: Apache-2.0
//
// Settings: one dictionary at a URL, with tags and waits.

internal import Remora

/// A dictionary of keys and values at a URL, in the format of the PAPulse SDK (Picsart's client of remote settings).
///
/// `@unchecked Sendable`: the class adds no properties to `Source`.
public final class SettingsSource: Source, @unchecked Sendable {
  /// Opens the dictionary of a tag: separate settings under the same URL, whose fetched data becomes live at once.
  /// Sends no request. The tag has the same options as these settings for `parameters`, `rootKey`, `tagItem`,
  /// `memoryOnly`, `ttl` and `persistOverrides`. Use `Options.tag` to open a tag with other options.
  ///
  /// Only the first call for a tag reads files, on the calling thread: the data then stays in memory, at least until
  /// these settings are closed. Closing these settings does not close the returned source.
  ///
  /// - Parameters:
  ///   - tag: The name, 1 to 256 bytes of UTF-8.
  ///   - ttl: How long data of the tag is fresh; with zero, it is never fresh. Nil means the `ttl` of these settings.
  ///     If the tag is already open with another `ttl`, that `ttl` stays, and the log has a warning if you pass one.
  /// - Throws: `.invalidArgument` for the tag or `ttl`, or if these settings are a tag; `.closed`.
  public func tag(_ tag: String, ttl: Duration? = nil) throws(RemoraError) -> SettingsSource {
    let tagged = try call(of: label) { () throws(Remora.RemoraError) in
      try opened.openTag(tag, ttl.map(Lifetime.init(ttl:)))
    }
    return SettingsSource(tagged, of: client)
  }

  /// Refreshes a tag in the background, for later waits and reads. Returns at once. Sends no request if the data is
  /// fresh.
  ///
  /// - Throws: The errors of `tag` and of `Source.prefetch`.
  public func prefetch(tag: String) throws(RemoraError) { try self.tag(tag).prefetch() }

  /// Waits for a fresh value of a key in a tag, and returns it, decoded as the type of `default`.
  ///
  ///     let brush = await settings.value("brush", tag: "editor", timeout: .seconds(2), default: 3)
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - tag: The tag, an additional dictionary of these settings. It is opened if it is not open.
  ///   - timeout: The longest time to wait. Zero sends no request. Nil means that only the limits of the client's
  ///     configuration apply.
  ///   - default: The value to return if no usable value exists.
  /// - Returns: The fresh value if it arrives in time, otherwise the live value. `default` if the value is missing,
  ///   null or of another type, or the tag is invalid. Returns at once if the task is cancelled.
  public func value<Decoded: Decodable>(
    _ key: String, tag: String, timeout: Duration? = nil, default: Decoded
  ) async -> Decoded {
    guard let tagged = try? self.tag(tag) else { return `default` }
    return await tagged.value(key, timeout: timeout, default: `default`)
  }

  /// Waits for a fresh value of a key, like the function with a tag. Unless the option `activation` is `.immediate`,
  /// fetched data is only staged (stored for later), and the result is the live value.
  public func value<Decoded: Decodable>(_ key: String, timeout: Duration?, default: Decoded) async -> Decoded {
    _ = try? await wait(timeout: timeout)
    return value(key, default: `default`)
  }
}
