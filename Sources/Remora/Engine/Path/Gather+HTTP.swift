// SPDX-License-Identifier: Apache-2.0
//
// A request of the path as the transport takes it.

extension Gather {
  /// The request, under a client's options. The host's headers may carry credentials, which are for its server alone.
  func httpRequest(_ options: TransportOptions) -> HTTPRequest {
    var request = HTTPRequest(url, text: urlText, options: options)
    request.method = method
    request.hosting = hosting
    if !isOwnOrigin { request.options.headers = [] }
    if purpose == .chain { request.options.maxBodyBytes = PEM.maxBytes }
    return request
  }
}
