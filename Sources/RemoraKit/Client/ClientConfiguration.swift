// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a client, and its conversion to the core's options.

internal import Remora

extension Client {
  /// The configuration of a client. Every property but `storageDirectory` has a default.
  public struct Configuration: Sendable {
    /// The directory for images, created if it is missing; nil keeps everything in memory.
    public var storageDirectory: String?
    /// The server of collections: `"prod"`, another preset, or a URL. Default: `"prod"`, Mozilla's server.
    public var server: String?
    /// The bucket of collections. Default: `"main"`.
    public var bucket: String?
    /// The application, for the User-Agent header.
    public var applicationName: String?
    public var applicationVersion: String?
    public var applicationBuild: String?
    /// The User-Agent header. Default: name, version and build of the application, and Remora's version.
    public var userAgent: String?
    /// The proxy in libcurl's syntax; nil means no proxy. Environment variables are never read.
    public var proxy: String?
    /// A PEM file of TLS roots; nil means libcurl's default.
    public var caFile: String?
    /// Lines `"Name: value"`, sent to the servers of the sources only.
    public var headers: [String] = []
    /// The time limit of name lookup, connection and TLS handshake; nil means no limit. Default: 10 s.
    public var connectTimeout: Duration? = .seconds(10)
    /// The time after which a transfer below 100 bytes/s is ended; nil means no limit. Default: 30 s.
    public var stallTimeout: Duration? = .seconds(30)
    /// The time limit of a request, except for attachments; nil means no limit. Default: 120 s.
    public var totalTimeout: Duration? = .seconds(120)
    /// The largest body of a response, in bytes, at most 256 MiB. Default: 16 MiB.
    public var maximumBodyBytes = 16 << 20
    /// The highest level of log lines that `onLog` receives. Default: `.warning`.
    public var logLevel = LogLevel.warning
    /// Called with each log line, one call at a time, on a thread of the client. It may block, which delays events and
    /// the results of waits, but no task.
    public var onLog: (@Sendable (LogEntry) -> Void)?
    /// Called with the outcome and the cost of every refresh attempt, where `onLog` is called.
    public var onAttempt: (@Sendable (Attempt) -> Void)?

    /// Creates a configuration with defaults.
    public init(storageDirectory: String?, server: String? = nil, applicationName: String? = nil) {
      self.storageDirectory = storageDirectory
      self.server = server
      self.applicationName = applicationName
    }
  }
}

extension Client.Configuration {
  /// Returns the core's options.
  ///
  /// - Throws: `.invalidArgument` naming the option; `.storage` or `.permission` for the directory.
  func options() throws(Remora.RemoraError) -> ClientOptions {
    if storageDirectory?.isEmpty == true { throw .invalidArgument("storageDirectory", "is empty") }
    return try ClientOptions(storagePath: storageDirectory, server: server, bucket: bucket, transportOptions())
  }

  private func transportOptions() throws(Remora.RemoraError) -> TransportOptions {
    let application = Application(
      name: try line(applicationName, "applicationName"), version: try line(applicationVersion, "applicationVersion"),
      build: try line(applicationBuild, "applicationBuild"))
    var options = TransportOptions(
      caFile: caFile,
      connectTimeoutMs: try connectTimeout.map { limit throws(Remora.RemoraError) in
        try positive(limit, "connectTimeout")
      } ?? -1,
      stallTimeoutMs: try stallTimeout.map { limit throws(Remora.RemoraError) in try positive(limit, "stallTimeout") }
        ?? -1,
      totalTimeoutMs: try totalTimeout.map { limit throws(Remora.RemoraError) in try positive(limit, "totalTimeout") }
        ?? -1)
    try options.setProxy(proxy)
    try options.setHeaders(headers)
    try options.setUserAgent(userAgent, as: "userAgent", or: application)
    guard maximumBodyBytes > 0 else { throw .invalidArgument("maximumBodyBytes", "must be positive") }
    try options.limitBody(toBytes: Int64(maximumBodyBytes))
    return options
  }

  /// Checks a text that is sent over the network: it must not contain control characters.
  private func line(_ text: String?, _ name: String) throws(Remora.RemoraError) -> String? {
    if let text { try validateHeaderValue(text, of: name) }
    return text
  }

  /// Returns the core's log.
  func log() -> Log? {
    guard let onLog else { return nil }
    return Log(level: Remora.LogLevel(logLevel)) { line in
      let entry = LogEntry(line)
      _ = HostCalling.call { onLog(entry) }
    }
  }

  /// Returns the core's receiver of attempts.
  func attempts() -> (@Sendable (Remora.Attempt) -> Void)? {
    guard let onAttempt else { return nil }
    return { attempt in
      let attempt = Attempt(attempt)
      _ = HostCalling.call { onAttempt(attempt) }
    }
  }
}
