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
    guard response.status == 200 || (response.status == 203 && hosting == .any) else {
      throw failure(response, of: "\(who) \(url.originText)")
    }
  }

  /// Decodes the document of an answer. What is odd about the answer is among the document's warnings, and in the error
  /// if that may be the cause.
  func decode(_ response: HTTPResponse, _ dialect: any Dialect) throws(RemoraError) -> Document {
    do throws(RemoraError) {
      var document = try response.body.withBytes { bytes throws(RemoraError) in try dialect.decode(bytes) }
      document.warnings += oddities(of: response).map { "\(url.originText)\(url.path) \($0)" }
      return document
    } catch {
      guard let encoding = response.headers.idleEncoding else { throw error }
      throw RemoraError(
        error.code, "\(error.message); the answer has Content-Encoding \"\(encoding)\", which is not decoded")
    }
  }

  /// What is odd about an answer that is used all the same, in words that follow its place.
  private func oddities(of response: HTTPResponse) -> [String] {
    var oddities: [String] = []
    if let encoding = response.headers.idleEncoding {
      oddities.append("answered with Content-Encoding \"\(encoding)\", which did not encode the body and is ignored")
    }
    if response.body.starts(with: byteOrderMark) {
      oddities.append("answered with a UTF-8 byte order mark before the document, which is ignored")
    }
    if response.status == 203 { oddities.append("answered with status 203: a proxy may have changed the document") }
    return oddities
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
