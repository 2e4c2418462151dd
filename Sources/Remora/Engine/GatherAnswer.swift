// SPDX-License-Identifier: Apache-2.0
//
// What the status of an answer says about the request: it leads elsewhere, it is no success, or it may be read.

extension Gather {
  /// The request that the answer redirects to; nil when it is no redirect.
  func redirect(by response: HTTPResponse, _ dialect: any Dialect) throws(RemoraError) -> Gather? {
    guard [301, 302, 303, 307, 308].contains(response.status) else { return nil }
    guard let location = response.headers.location else {
      throw RemoraError(.redirect, "\(url.originText) redirects without a Location", httpStatus: response.status)
    }
    return try dialect.redirect(location, of: self)
  }

  /// Demands a success.
  func requireOK(_ response: HTTPResponse, _ who: String) throws(RemoraError) {
    guard response.status == 200 else {
      throw RemoraError(
        .http, "\(who) \(url.originText) answered \(url.path) with status \(response.status)",
        httpStatus: response.status, retryAfterMs: response.headers.retryAfterMs)
    }
  }
}

extension Image {
  /// Whether it was accepted under a policy when it came: a server may then confirm it without showing it again.
  func isAccepted(by policy: TrustPolicy) -> Bool {
    !metadata.isPackaged && (metadata.isVerified || policy == .off)
  }
}
