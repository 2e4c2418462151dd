// SPDX-License-Identifier: Apache-2.0
//
// The request for a seed, for an installer that sends it itself.

/// The request for a seed, as text.
package struct SeedRequest: Sendable {
  package let url: String
  package let method: String
  /// Lines "Name: value", each with its newline.
  package let headers: String

  /// Makes the request that an installer sends for a source.
  ///
  /// - Parameter identifier: Who asks, for the server; nil is "seed".
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
