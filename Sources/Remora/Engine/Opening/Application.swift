// SPDX-License-Identifier: Apache-2.0
//
// The identification of the application, and its two forms in requests: a User-Agent header and query items.

/// The identification of the application that uses the library. Servers receive it, so it has no control characters.
package struct Application: Sendable {
  package let name: String?
  package let version: String?
  package let build: String?

  /// - Throws: `.invalidArgument` for a text with control characters.
  package init(name: String? = nil, version: String? = nil, build: String? = nil) throws(RemoraError) {
    for (text, option) in [
      (name, "application_name"), (version, "application_version"), (build, "application_build"),
    ] {
      if let text { try validateHeaderValue(text, of: option) }
    }
    self.name = name
    self.version = version
    self.build = build
  }

  /// The User-Agent "name/version (build) Remora/0.1.0".
  package var userAgent: String {
    "\(name ?? "unknown")/\(version ?? "0")\(build.map { " (\($0))" } ?? "") Remora/\(LibraryVersion.text)"
  }

  package func seedItems(identifier: String?) -> [(name: String, value: String)] {
    [("identifier", identifier ?? "seed"), ("app", name), ("version", version), ("build", build)]
      .compactMap { item in item.1.map { (item.0, $0) } }
  }
}

extension TransportOptions {
  /// Sets the User-Agent header: the host's own text, or else the one that identifies the application.
  ///
  /// - Parameter option: The host's name of the option `text`, for errors.
  /// - Throws: `.invalidArgument` naming the option.
  package mutating func setUserAgent(
    _ text: String?, as option: String, or application: Application
  ) throws(RemoraError) {
    try setUserAgent(text ?? application.userAgent, as: option)
    hasAnonymousUserAgent = text == nil && application.name == nil
  }
}
