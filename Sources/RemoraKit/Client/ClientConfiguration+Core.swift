// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a client as the core's options and functions.

internal import Remora

extension Client.Configuration {
  /// Returns the core's options.
  ///
  /// - Throws: `.invalidArgument` naming the option; `.storage` or `.permission` for the directory.
  func options() throws(Remora.RemoraError) -> ClientOptions {
    try options(storagePath: storageDirectory)
  }

  /// Returns the core's options for a client that stores nothing, such as that of an installer.
  ///
  /// - Throws: `.invalidArgument` naming the option.
  func optionsInMemory() throws(Remora.RemoraError) -> ClientOptions { try options(storagePath: nil) }

  /// Returns the program's functions: the log, the receiver of attempts, the transport and the clock.
  func functions() -> HostFunctions {
    HostFunctions(
      log: log(), onAttempt: attempts(), transport: transport.map { HostCalls($0) }, readClock: clockReader())
  }

  /// Returns the application's name, version and build, which servers receive.
  ///
  /// - Throws: `.invalidArgument` for a text with control characters.
  func application() throws(Remora.RemoraError) -> Application {
    try Application(name: applicationName, version: applicationVersion, build: applicationBuild)
  }

  /// Returns the core's log.
  func log() -> Log? {
    guard let onLog else { return nil }
    return Log(level: Remora.LogLevel(logLevel)) { line in
      let entry = LogEntry(line)
      _ = HostCalling.call { onLog(entry) }
    }
  }

  private func options(storagePath: String?) throws(Remora.RemoraError) -> ClientOptions {
    var options = try ClientOptions(
      storagePath: storagePath, server: server, bucket: bucket, transportOptions(),
      callbacks: callbacks == .thread ? .thread : .dispatch)
    options.maxStaleMs = try maximumStale.map { age throws(Remora.RemoraError) in try limit(age, of: "max_stale_ms") }
    return options
  }

  private func transportOptions() throws(Remora.RemoraError) -> TransportOptions {
    var options = TransportOptions(
      connectTimeoutMs: try limit(connectTimeout, of: "connect_timeout_ms"),
      stallTimeoutMs: try limit(stallTimeout, of: "stall_timeout_ms"),
      totalTimeoutMs: try limit(totalTimeout, of: "total_timeout_ms"))
    try options.setCAFile(caFile)
    try options.setClientCertificate(clientCertificateFile, key: clientKeyFile)
    try options.setProxy(proxy)
    try options.setHeaders(headers)
    try options.setUserAgent(userAgent, as: "user_agent", or: application())
    guard maximumBodyBytes > 0 else { throw .invalidArgument("max_body_bytes", "must be positive") }
    try options.limitBody(toBytes: Int64(maximumBodyBytes))
    return options
  }

  /// Returns the core's function that reads the program's clock.
  private func clockReader() -> (@Sendable () -> HostTime?)? {
    guard let clock else { return nil }
    return { HostCalling.call { HostTime(clock.now) } }
  }

  /// Returns the core's receiver of attempts.
  private func attempts() -> (@Sendable (Remora.Attempt) -> Void)? {
    guard let onAttempt else { return nil }
    return { attempt in
      let attempt = Attempt(attempt)
      _ = HostCalling.call { onAttempt(attempt) }
    }
  }
}
