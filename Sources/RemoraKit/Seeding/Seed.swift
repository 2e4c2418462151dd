// SPDX-License-Identifier: Apache-2.0
//
// Seeds: data that an installer saves for the first opening of a source.

internal import Remora

/// Data that an installer saves, so that a program has settings at its first launch; see docs/seeding.md.
///
///     let seed = Seed.settings("https://settings.example/app")
///     let request = try seed.request(configuration)
///     // Download the document at request.url to a file.
///     try await seed.save("seed.json", configuration)
///
/// Pass the URL, the options and the configuration with which the program opens the source. All functions may be called
/// on any thread. They need no client.
public struct Seed: Sendable {
  private enum Source {
    case collection(String, CollectionSource.Options)
    case bundle(String?, BundleSource.Options)
    case settings(String?, SettingsSource.Options)
  }

  private let source: Source

  /// Describes the seed of a collection. `save` needs a file that `remora dump` has written, with the signature and the
  /// certificate chain.
  public static func collection(_ name: String, _ options: CollectionSource.Options = .init()) -> Seed {
    Seed(source: .collection(name, options))
  }

  /// Describes the seed of a bundle, for `request` and `save`.
  public static func bundle(_ url: String, _ options: BundleSource.Options = .init()) -> Seed {
    Seed(source: .bundle(url, options))
  }

  /// Describes the seed of settings, for `request` and `save`. Both throw `.invalidArgument` for the option
  /// `memoryOnly`, because a seed is stored.
  ///
  /// - Parameters:
  ///   - url: The URL; nil means the default URL of the PAPulse SDK.
  ///   - options: The options with which the program opens the settings.
  public static func settings(_ url: String? = nil, _ options: SettingsSource.Options = .init()) -> Seed {
    Seed(source: .settings(url, options))
  }

  /// Returns the request with which the installer downloads the seed, in any way and to any file. Sends no request.
  ///
  /// The headers are those of the configuration, and the User-Agent. For settings, the query items `identifier`, `app`,
  /// `version` and `build` are added to the URL, unless it has them. These items do not change the source of the seed.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the program. `storageDirectory` is not used.
  ///   - identifier: The name of the installer. Default: `"seed"`.
  /// - Throws: `.invalidArgument` naming the option; also for a collection, which has no request.
  public func request(
    _ configuration: Client.Configuration, identifier: String = "seed"
  ) throws(RemoraError) -> HTTPRequest {
    try call { () throws(Remora.RemoraError) in
      let client = try configuration.optionsInMemory()
      let request = try SeedRequest(
        of: core(client), by: configuration.application(), identifier: identifier, client.transportOptions)
      return HTTPRequest(method: request.method, url: request.url, headers: request.headers)
    }
  }

  /// Checks a downloaded file as strictly as a response of the server, and saves it for the next opening of the source.
  /// Does not change the file. The new seed replaces an unused older seed; after an error, the older seed stays.
  ///
  /// Waits for files, and at most 5 s for another process that saves a seed, outside the pool of Swift's tasks. Not
  /// interrupted by cancellation of the task.
  ///
  /// - Parameters:
  ///   - file: The path of the downloaded file.
  ///   - configuration: Only `storageDirectory` (required here), `server`, `bucket`, `maximumBodyBytes`, `logLevel` and
  ///     `onLog` are used. `onLog` receives warnings about ignored parts of the file, on another thread, before this
  ///     function returns.
  ///   - fetchedAtMs: The time of the download, in milliseconds since 1970. Nil means the time at which the file was
  ///     last modified.
  /// - Throws: `.invalidArgument`, `.storage`, `.permission`; `.tooLarge`, `.parse` and `.format` for a faulty file;
  ///   for a collection also a trust error, `.future`, `.unavailable` and `.closed`.
  public func save(
    _ file: String, _ configuration: Client.Configuration, fetchedAtMs: Int64? = nil
  ) async throws(RemoraError) {
    try await outsideThePool { () throws(RemoraError) in
      try call { () throws(Remora.RemoraError) in
        let client = try configuration.optionsInMemory()
        try Seeds().save(
          of: core(client), inFile: file, limit: client.transportOptions.maxBodyBytes,
          fetchedAtMs: fetchedAtMs ?? 0, toDirectory: configuration.storageDirectory,
          log: configuration.log() ?? Log(level: nil) { _ in })
      }
    }
  }

  /// Returns the core's source.
  private func core(_ client: ClientOptions) throws(Remora.RemoraError) -> SeedSource {
    switch source {
    case .collection(let name, let options):
      try SeedSource(settings: nil, bundle: nil, collection: options.core(name), of: client)
    case .bundle(let url, let options):
      try SeedSource(settings: nil, bundle: options.core(url), collection: nil, of: client)
    case .settings(let url, let options):
      try SeedSource(settings: options.core(url), bundle: nil, collection: nil, of: client)
    }
  }
}
