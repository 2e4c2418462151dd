// SPDX-License-Identifier: Apache-2.0
//
// A step of the path as HTTP: its request, and the response with its status: a redirect, an error, or a document.

extension Gather {
  /// Returns the HTTP request. The host's headers may contain credentials, so only its own server receives them.
  func httpRequest(_ options: TransportOptions) -> HTTPRequest {
    var request = HTTPRequest(url, text: urlText, options: options)
    request.method = method
    request.hosting = hosting
    if !isOwnOrigin { request.options.removeCredentials() }
    if purpose == .chain { request.options.maxBodyBytes = PEM.maxBytes }
    return request
  }

  /// Returns the request for the target of a redirect; nil if the response is not a redirect.
  func redirect(by response: HTTPResponse, _ dialect: any Dialect) throws(RemoraError) -> Gather? {
    guard [301, 302, 303, 307, 308].contains(response.status) else { return nil }
    guard let location = response.headers.location else {
      throw RemoraError(.redirect, "\(url.originText) redirects without a Location header", httpStatus: response.status)
    }
    let next = try dialect.redirect(location, of: self)
    // As in browsers: only 307 and 308 keep the method.
    return response.status == 307 || response.status == 308 ? next.by(method) : next.by(.get)
  }

  /// Throws unless the status is a success.
  func requireOK(_ response: HTTPResponse, _ who: String) throws(RemoraError) {
    guard response.status == 200 || (response.status == 203 && hosting == .any) else {
      throw failure(response, of: "\(who) \(url.originText)")
    }
  }

  /// Completes the document of a response, and discards the memory of a large body meanwhile. Irregularities of the
  /// response are added to the document's warnings, and to an error that they may have caused.
  func finish(_ arriving: ArrivingDocument, by response: HTTPResponse) throws(RemoraError) -> Document {
    do throws(RemoraError) {
      var document = try arriving.finish(response.content)
      document.warnings += oddities(of: response, with: document).map { "\(url.originText)\(url.path) \($0)" }
      return document
    } catch {
      var error = error
      if let encoding = response.headers.idleEncoding {
        error.message += "; the response has Content-Encoding \"\(encoding)\", which was not decoded"
      }
      if response.headers.isWebPage {
        error.message += "; the response has Content-Type \"text/html\", so it may be a web page of a portal or proxy"
      }
      throw error
    }
  }

  /// Returns the irregularities of a response that is used anyway, as words that follow its place.
  private func oddities(of response: HTTPResponse, with document: Document) -> [String] {
    var oddities: [String] = []
    if let encoding = response.headers.idleEncoding {
      oddities.append(
        "answered with Content-Encoding \"\(encoding)\", but the body is not encoded; the header is ignored")
    }
    if response.headers.isWebPage {
      oddities.append("answered with Content-Type \"text/html\", but the body is JSON; the header is ignored")
    }
    if document.hasMark { oddities.append("answered with a UTF-8 byte order mark, which is ignored") }
    if response.status == 203 { oddities.append("answered with status 203: a proxy may have changed the document") }
    return oddities
  }

  /// Returns the error for a response that is not a success.
  func failure(_ response: HTTPResponse, of who: String) -> RemoraError {
    // Only a proxy requires a login by this status.
    let isOfProxy = response.status == 407
    let place = isOfProxy ? "the proxy between this process and \(url.originText)" : who
    let advice = isOfProxy ? ": check the name and the password in the option proxy" : ""
    let reason = serverMessage(in: response.content).map { ", and says \"\($0)\"" } ?? ""
    return RemoraError(
      .http, "\(place) answered \(url.path) with HTTP status \(response.status)\(reason)\(advice)",
      httpStatus: response.status, retryAfterMs: response.headers.retryAfterMs)
  }
}

extension ResponseHeaders {
  /// Whether the media type is that of a web page. Web frameworks send it by default, also for JSON.
  fileprivate var isWebPage: Bool { contentType?.lowercased().hasPrefix("text/html") == true }
}

extension RemoraError {
  /// Returns the error with the status of the response, unless it has one.
  func answered(by answer: Result<HTTPResponse, RemoraError>) -> RemoraError {
    guard httpStatus == 0, case .success(let response) = answer else { return self }
    var error = self
    error.httpStatus = response.status
    return error
  }
}
