// SPDX-License-Identifier: Apache-2.0
//
// The request for a seed, for an installer with its own HTTP client.

/// The request for a seed, as text.
package struct SeedRequest: Sendable {
  package let url: String
  package let method: String
  /// The header lines "Name: value", each with a newline.
  package let headers: String

  /// Creates the request for the seed of a source.
  ///
  /// - Parameter identifier: Identifies the caller to the server; nil means "seed".
  /// - Throws: `.invalidArgument` for a collection.
  package init(
    of source: SeedSource, by application: Application, identifier: String?, _ options: TransportOptions
  ) throws(RemoraError) {
    guard source.hasRequest else {
      throw .invalidArgument(
        "collection", "must be NULL: only settings and bundles have a seed request; for a collection, use remora dump")
    }
    let gather = try source.dialect.seedRequest(telling: application.seedItems(identifier: identifier))
    url = gather.urlText
    method = gather.method == .get ? "GET" : "POST"
    headers = options.headersWithUserAgent.map { "\($0)\n" }.joined()
  }
}
