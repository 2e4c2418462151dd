// SPDX-License-Identifier: Apache-2.0
//
// The identification of the application, and its two forms in requests: a User-Agent header and query items.

/// The identification of the application that uses the library.
package struct Application: Sendable {
  package var name: String?
  package var version: String?
  package var build: String?

  package init(name: String? = nil, version: String? = nil, build: String? = nil) {
    self.name = name
    self.version = version
    self.build = build
  }

  /// Returns the User-Agent "name/version (build) Remora/0.1.0" for a version of the library.
  package func userAgent(library: String) -> String {
    "\(name ?? "unknown")/\(version ?? "0")\(build.map { " (\($0))" } ?? "") Remora/\(library)"
  }

  /// Returns the query items of a seed request.
  package func seedItems(identifier: String?) -> [(name: String, value: String)] {
    [("identifier", identifier ?? "seed"), ("app", name), ("version", version), ("build", build)]
      .compactMap { item in item.1.map { (item.0, $0) } }
  }
}
