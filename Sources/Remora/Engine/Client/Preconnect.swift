// SPDX-License-Identifier: Apache-2.0
//
// A connection that is made before anybody needs it: one GET whose answer does not matter, on the process's own
// transport, so that libcurl keeps its connection for the next request to that origin.

extension Runtime {
  /// Connects, without waiting. What it comes to is told to the logs of open clients, or of the next one.
  ///
  /// - Parameters:
  ///   - application: Its name is the query item "app".
  ///   - platform: The query item "platform"; nil is "linux".
  /// - Throws: `.invalidArgument` for options that cannot be sent, `.unavailable` without libcurl, libcrypto or a
  ///   thread, `.closed` while the process exits.
  package func preconnect(
    to url: ParsedURL, for application: Application, on platform: String?, _ options: TransportOptions
  ) throws(RemoraError) {
    guard let name = application.name, !name.isEmpty else { throw .invalidArgument("application_name", "is empty") }
    let items = [("app", name), ("platform", platform ?? "linux")]
    let target = try url.adding(items, as: "url with application_name and platform")
    let request = HTTPRequest(target, text: target.description, options: options)
    let origin = url.originText
    try lock.withLock { locked throws(RemoraError) in
      handleForks(locked)
      try loadLibraries(locked)
      try startEngine(locked)
      _ = try transport.start(request) { [self] result in
        switch result {
        case .success(let answer): tell(.debug, "pre-connected to \(origin): HTTP status \(answer.status)")
        case .failure(let error): tell(.warning, "not pre-connected to \(origin): \(error.message)")
        }
      }
    }
  }

  /// What earlier pre-connects came to, once.
  func takePreconnectLines() -> [(level: LogLevel, text: String)] {
    lock.withLock { preconnectLines.set($0, \.self, to: []) }
  }

  /// More are not kept for a client that may never come.
  private static let mostLines = 8

  private func tell(_ level: LogLevel, _ text: String) {
    let clients = lock.withLock { locked in
      let clients = members(locked).compactMap { $0 as? Client }.filter { $0.services.hasLog(locked) }
      if clients.isEmpty {
        preconnectLines.with(locked) { $0 = ($0 + [(level, text)]).suffix(Self.mostLines) }
      }
      return clients
    }
    for client in clients { client.services.note(level, text) }
  }
}
