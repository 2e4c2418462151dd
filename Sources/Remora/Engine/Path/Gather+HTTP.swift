// SPDX-License-Identifier: Apache-2.0
//
// Converts a request of the path to an HTTP request.

extension Gather {
  /// Returns the HTTP request. The host's headers may contain credentials, so only its own server receives them.
  func httpRequest(_ options: TransportOptions) -> HTTPRequest {
    var request = HTTPRequest(url, text: urlText, options: options)
    request.method = method
    request.hosting = hosting
    if !isOwnOrigin { request.options.removeHeaders() }
    if purpose == .chain { request.options.maxBodyBytes = PEM.maxBytes }
    return request
  }
}
