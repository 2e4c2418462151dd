// SPDX-License-Identifier: Apache-2.0

/// The request for a seed, for an installer with its own HTTP client: the installer sends it, and saves the body of the
/// response as the seed.
package struct SeedRequest: Sendable {
  package let url: String
  package let method: String
  /// The header lines "Name: value".
  package let headers: [String]

  /// Creates the request for the seed of a source.
  ///
  /// - Parameter identifier: Identifies the caller to the server; nil means "seed".
  /// - Throws: `.invalidArgument` for a collection.
  package init(
    of source: SeedSource, by application: Application, identifier: String?, _ options: TransportOptions
  ) throws(RemoraError) {
    guard source.hasRequest else {
      throw .invalidArgument(
        "collection", "has no seed request; the tool's command dump writes the file of a collection")
    }
    let gather = try source.dialect.seedRequest(telling: application.seedItems(identifier: identifier))
    url = gather.urlText
    method = gather.method.token
    headers = options.headersWithUserAgent
  }
}
