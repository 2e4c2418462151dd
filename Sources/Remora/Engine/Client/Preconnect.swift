// SPDX-License-Identifier: Apache-2.0
//
// Opens a connection before it is needed: sends one GET whose response is ignored, by the process's own transport, so
// that libcurl keeps the connection for the next request to that origin.

package struct Preconnects: Sendable {
  let runtime: Runtime

  package init(_ runtime: Runtime = .shared) { self.runtime = runtime }

  /// Opens a connection without waiting. The result is written to the logs of open clients, or else to the log of the
  /// next client.
  ///
  /// - Parameters:
  ///   - application: The application, whose name is sent as the query item "app".
  ///   - platform: The value of the query item "platform"; nil means "linux".
  ///   - options: The options of the request, whose headers are not sent.
  ///   - hasHostTransport: Whether the host sends the requests of its clients. The call then has no effect, and
  ///     `platform` and `options` are not evaluated.
  /// - Throws: `.invalidArgument` for options that cannot be sent, `.unavailable` without libcurl, libcrypto or a
  ///   thread, `.closed` while the process exits.
  package func open(
    to url: ParsedURL, for application: Application,
    on platform: @autoclosure () throws(RemoraError) -> String?,
    _ options: @autoclosure () throws(RemoraError) -> TransportOptions, hasHostTransport: Bool = false
  ) throws(RemoraError) {
    guard let name = application.name, !name.isEmpty else {
      throw .invalidArgument("application_name", "is missing or empty")
    }
    guard !hasHostTransport else { return }
    let platform = try platform()
    var options = try options()
    // Headers may have credentials, which are for the client's server, and the URL may be that of another.
    options.replaceHeaders(by: .ofPreconnect)
    options.maxBodyBytes = min(options.maxBodyBytes, TransportOptions.ofPreconnect.maxBodyBytes)
    let items = [("app", name), ("platform", platform ?? "linux")]
    let target = try url.adding(items, as: "url")
    let request = HTTPRequest(target, text: target.description, options: options)
    let origin = url.originText
    try runtime.lock.withLock { locked throws(RemoraError) in
      runtime.handleForks(locked)
      try runtime.loadLibraries(locked)
      try runtime.startEngine(locked)
      _ = try runtime.transport.start(request) { [self] result in
        switch result {
        case .success(let answer): tell(.debug, "pre-connected to \(origin): HTTP status \(answer.status)")
        case .failure(let error): tell(.warning, "cannot pre-connect to \(origin): \(error.message)")
        }
      }
    }
  }

  /// Returns the log lines about earlier pre-connects, and removes them.
  func takeLines() -> [(level: LogLevel, text: String)] {
    runtime.lock.withLock { exchange(&runtime.preconnectLines[$0], []) }
  }

  /// The maximum number of lines that are kept for the next client, which may never be created.
  private static let mostLines = 8

  private func tell(_ level: LogLevel, _ text: String) {
    let clients = runtime.lock.withLock { locked in
      let clients = runtime.members(locked).compactMap { $0 as? Client }.filter { $0.services.hasLog(locked) }
      if clients.isEmpty {
        runtime.preconnectLines.with(locked) { $0 = ($0 + [(level, text)]).suffix(Self.mostLines) }
      }
      return clients
    }
    for client in clients { client.services.note(level, text) }
  }
}
