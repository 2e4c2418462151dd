// SPDX-License-Identifier: Apache-2.0
//
// libcurl's error codes as errors of the core.
// Invariant: a message names the host, never the path, the query or credentials, and contains no control bytes,
// whatever a server sent.

internal import CCurl
internal import Glibc

extension RemoraError {
  /// Creates the error of a transfer to `url` that libcurl ended; `detail` is the text of libcurl's error buffer.
  static func transfer(_ code: CURLcode, detail: String, url: ParsedURL) -> RemoraError {
    // libcurl's text includes the URL of a proxy that it cannot use, with its password.
    let isOfProxy = detail.utf8.contains(UInt8(ascii: "@"))
    let general = String(cString: rcurl_easy_strerror(code))
    let text = isOfProxy ? "\(general); the proxy's URL may be wrong" : detail.isEmpty ? general : detail
    var error = RemoraError.transfer(remoraCode(for: code, detail: detail), text, url: url)
    error.systemCode = Int32(clamping: code.rawValue)
    return error
  }

  /// Creates the error of a request whose time limit ended before it could begin.
  static func waitedTooLong(forMs limit: Int64, url: ParsedURL) -> RemoraError {
    .transfer(
      .network, "the request waited \(limit) ms for \(RequestQueues<Void>.mostAtOnce) other requests to this server",
      url: url)
  }

  /// Creates the error of a transfer to `url` whose proxy refused to connect to the server.
  static func refusedByProxy(status: Int, url: ParsedURL) -> RemoraError {
    let advice = status == 407 ? ": check the name and the password in the proxy's URL" : ""
    return .transfer(.network, "the proxy refused the connection with HTTP status \(status)\(advice)", url: url)
  }

  /// Creates the error of a transfer to `url` that Remora itself refused or ended.
  static func transfer(_ code: Code, _ text: String, url: ParsedURL) -> RemoraError {
    RemoraError(code, "\(url.originText): \(withoutControls(text))")
  }
}

/// Returns what an error number of the system says is missing for a purpose; nil if it says something else.
func missing(_ number: Int32, for purpose: String) -> String? {
  switch number {
  case EMFILE: "the process has no file descriptor left for \(purpose)"
  case ENFILE: "the system has no file descriptor left for \(purpose)"
  case ENOMEM, ENOBUFS: "the system has no memory for \(purpose)"
  default: nil
  }
}

private func remoraCode(for code: CURLcode, detail: String) -> RemoraError.Code {
  switch code {
  // OpenSSL's texts for a lack of memory.
  case _ where isOfTLS(code) && (has(detail, "malloc failure") || has(detail, "out of memory")):
    .unavailable
  // With TLS 1.3, a server that misses a client certificate says so after the handshake.
  case RCURLE_RECV_ERROR where isAlert(detail), RCURLE_SEND_ERROR where isAlert(detail):
    .tls
  case _ where isOfTLS(code):
    .tls
  case RCURLE_URL_MALFORMAT:
    .invalidArgument
  case RCURLE_FILESIZE_EXCEEDED:
    .tooLarge
  case RCURLE_OUT_OF_MEMORY:
    .unavailable
  default:  // includes CURLE_UNSUPPORTED_PROTOCOL, which means a response other than HTTP/1 or 2 here
    .network
  }
}

private func isOfTLS(_ code: CURLcode) -> Bool {
  switch code {
  case RCURLE_SSL_CONNECT_ERROR, RCURLE_PEER_FAILED_VERIFICATION, RCURLE_SSL_CERTPROBLEM, RCURLE_SSL_CIPHER,
    RCURLE_SSL_CACERT_BADFILE, RCURLE_SSL_ISSUER_ERROR, RCURLE_SSL_CRL_BADFILE, RCURLE_SSL_INVALIDCERTSTATUS,
    RCURLE_SSL_ENGINE_NOTFOUND, RCURLE_SSL_ENGINE_SETFAILED, RCURLE_SSL_ENGINE_INITFAILED, RCURLE_USE_SSL_FAILED,
    RCURLE_SSL_PINNEDPUBKEYNOTMATCH, RCURLE_SSL_CLIENTCERT:
    true
  default: false
  }
}

/// Whether OpenSSL reports that the server ended the connection by an alert.
private func isAlert(_ detail: String) -> Bool { has(detail, "SSL routines") && has(detail, "alert") }

private func has(_ text: String, _ part: String) -> Bool {
  let (text, part) = (Array(text.utf8), Array(part.utf8))
  return text.indices.contains { text[$0...].starts(with: part) }
}

private func withoutControls(_ text: String) -> String {
  String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
}
