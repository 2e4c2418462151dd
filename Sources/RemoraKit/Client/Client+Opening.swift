// SPDX-License-Identifier: Apache-2.0
//
// Opens each kind of source, and subscribes `onEvent` during the opening.

internal import Remora

extension Client {
  /// Opens a collection of a Remote Settings server. Reads then return its newest cached or packaged data. Sends no
  /// request by default. Reads files on the calling thread.
  ///
  /// - Parameters:
  ///   - name: The name, of the form `[A-Za-z0-9_-]{1,128}`, not starting with a hyphen.
  ///   - options: How the collection is fetched, verified and read.
  /// - Throws: `.invalidArgument` naming the option; for packaged data also `.storage`, `.parse`, `.format` and
  ///   `.tooLarge`; `.closed`.
  public func collection(
    _ name: String, _ options: CollectionSource.Options = CollectionSource.Options()
  ) throws(RemoraError) -> CollectionSource {
    try open(options.onEvent) {
      CollectionSource($0, of: self)
    } _: { first throws(Remora.RemoraError) in
      try core.openCollection(options.core(name), first: first)
    }
  }

  /// Opens a bundle, a versioned document of namespaces at a URL. Reads then return the cached or the default bundle.
  /// Starts a refresh in the background, unless `fetchAtOpen` is false. Reads files on the calling thread.
  ///
  /// - Parameters:
  ///   - url: The URL; without a scheme, https is used. Nil means a bundle that consists of its default bundle and its
  ///     overrides.
  ///   - options: How the bundle is fetched and read.
  /// - Throws: `.invalidArgument` naming the option; `.parse`, `.format` or `.tooLarge` for the default bundle;
  ///   `.closed`.
  public func bundle(
    _ url: String?, _ options: BundleSource.Options = BundleSource.Options()
  ) throws(RemoraError) -> BundleSource {
    try open(options.onEvent) {
      BundleSource($0, of: self)
    } _: { first throws(Remora.RemoraError) in
      try core.openBundle(options.core(url), first: first)
    }
  }

  /// Opens settings, one dictionary at a URL. Reads then return the cached or packaged data. Starts a refresh in the
  /// background, unless `fetchAtOpen` is false. Reads files on the calling thread.
  ///
  /// - Parameters:
  ///   - url: The URL; without a scheme, https is used. Nil means the default URL of the PAPulse SDK.
  ///   - options: How the settings are fetched and read.
  /// - Throws: `.invalidArgument` naming the option; for packaged data also `.storage`, `.parse`, `.format` and
  ///   `.tooLarge`; `.closed`.
  public func settings(
    _ url: String? = nil, _ options: SettingsSource.Options = SettingsSource.Options()
  ) throws(RemoraError) -> SettingsSource {
    try open(options.onEvent) {
      SettingsSource($0, of: self)
    } _: { first throws(Remora.RemoraError) in
      try core.openSettings(options.core(url), first: first)
    }
  }

  /// Opens a source with `open`. With `onEvent`, calls `make` before the first event, so that the event has a source.
  private func open<Kind: Source>(
    _ onEvent: (@Sendable (Event) -> Void)?, _ make: @escaping (OpenSource) -> Kind,
    _ open: (FirstSubscriber?) throws(Remora.RemoraError) -> OpenSource
  ) throws(RemoraError) -> Kind {
    guard let onEvent else {
      return make(try call { () throws(Remora.RemoraError) in try open(nil) })
    }
    var made: Kind?
    let opened = try call { () throws(Remora.RemoraError) in
      try open { opened in
        let source = make(opened)
        made = source
        return eventSink(to: source, key: nil, onEvent)
      }
    }
    return made ?? make(opened)
  }
}
