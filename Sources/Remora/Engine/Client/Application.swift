// SPDX-License-Identifier: Apache-2.0
//
// What a host says of itself, and the two forms in which servers are told.

/// The application.
package struct Application: Sendable {
  package var name: String?
  package var version: String?
  package var build: String?

  package init(name: String? = nil, version: String? = nil, build: String? = nil) {
    self.name = name
    self.version = version
    self.build = build
  }

  /// "name/version (build) Remora/0.1.0", for a version of the library.
  package func userAgent(library: String) -> String {
    "\(name ?? "unknown")/\(version ?? "0")\(build.map { " (\($0))" } ?? "") Remora/\(library)"
  }

  /// The query items of the request for a seed.
  package func seedItems(identifier: String?) -> [(name: String, value: String)] {
    [("identifier", identifier ?? "seed"), ("app", name), ("version", version), ("build", build)]
      .compactMap { item in item.1.map { (item.0, $0) } }
  }
}
