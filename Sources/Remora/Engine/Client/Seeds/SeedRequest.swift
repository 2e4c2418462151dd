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
  /// - Throws: `.invalidArgument` for a source without `url`.
  package init(
    of dialect: any Dialect, by application: Application, identifier: String?, _ options: TransportOptions
  ) throws(RemoraError) {
    let gather = try dialect.seedRequest(telling: application.seedItems(identifier: identifier))
    url = gather.urlText
    method = gather.method == .get ? "GET" : "POST"
    headers = options.headersWithUserAgent.map { "\($0)\n" }.joined()
  }
}
