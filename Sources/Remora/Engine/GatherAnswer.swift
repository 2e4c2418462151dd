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
    let next = try dialect.redirect(location, of: self)
    // As browsers do: only these two say that the method stays.
    return response.status == 307 || response.status == 308 ? next.by(method) : next.by(.get)
  }

  /// Demands a success.
  func requireOK(_ response: HTTPResponse, _ who: String) throws(RemoraError) {
    guard response.status == 200 else { throw failure(response, of: "\(who) \(url.originText)") }
  }

  /// What an answer is told as that is no success.
  func failure(_ response: HTTPResponse, of who: String) -> RemoraError {
    RemoraError(
      .http, "\(who) answered \(url.path) with status \(response.status)",
      httpStatus: response.status, retryAfterMs: response.headers.retryAfterMs)
  }
}

extension RemoraError {
  /// The same error with the status of the answer that it is about, unless it has one.
  func answered(by answer: Result<HTTPResponse, RemoraError>) -> RemoraError {
    guard httpStatus == 0, case .success(let response) = answer else { return self }
    var error = self
    error.httpStatus = response.status
    return error
  }
}

extension Image {
  /// Whether it was accepted by these rules when it came, or since: a server may then confirm it without showing it
  /// again. What an earlier root vouched for is shown once more.
  func isAccepted(by dialect: any Dialect) -> Bool {
    let isVouchedFor = metadata.isVerified || (dialect.policy == .off && !metadata.isPackaged)
    return isVouchedFor && metadata.identity == dialect.identity
  }
}
