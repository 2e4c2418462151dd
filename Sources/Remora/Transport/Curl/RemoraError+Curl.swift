// SPDX-License-Identifier: Apache-2.0
//
// libcurl's error codes as errors of the core.
// Invariant: a message names the host, never the path, the query or credentials, and contains no control bytes,
// whatever a server sent.

internal import CCurl

extension RemoraError {
  /// Creates the error of a transfer to `url` that libcurl ended; `detail` is the text of libcurl's error buffer.
  static func transfer(_ code: CURLcode, detail: String, url: ParsedURL) -> RemoraError {
    // libcurl's text includes the URL of a proxy that it cannot use, with its password.
    let isOfProxy = detail.utf8.contains(UInt8(ascii: "@"))
    let general = String(cString: rcurl_easy_strerror(code))
    let text = isOfProxy ? "\(general); the option proxy may be wrong" : detail.isEmpty ? general : detail
    return .transfer(remoraCode(for: code), text, url: url)
  }

  /// Creates the error of a request whose time limit ended before it could begin.
  static func waitedTooLong(forMs limit: Int64, url: ParsedURL) -> RemoraError {
    .transfer(
      .network, "the request waited \(limit) ms for \(RequestQueues<Void>.mostAtOnce) other requests to this server",
      url: url)
  }

  /// Creates the error of a transfer to `url` that Remora itself refused or ended.
  static func transfer(_ code: Code, _ text: String, url: ParsedURL) -> RemoraError {
    RemoraError(code, "\(url.originText): \(withoutControls(text))")
  }
}

private func remoraCode(for code: CURLcode) -> RemoraError.Code {
  switch code {
  case RCURLE_SSL_CONNECT_ERROR, RCURLE_PEER_FAILED_VERIFICATION, RCURLE_SSL_CERTPROBLEM, RCURLE_SSL_CIPHER,
    RCURLE_SSL_CACERT_BADFILE, RCURLE_SSL_ISSUER_ERROR, RCURLE_SSL_CRL_BADFILE, RCURLE_SSL_INVALIDCERTSTATUS,
    RCURLE_SSL_ENGINE_NOTFOUND, RCURLE_SSL_ENGINE_SETFAILED, RCURLE_SSL_ENGINE_INITFAILED, RCURLE_USE_SSL_FAILED,
    RCURLE_SSL_PINNEDPUBKEYNOTMATCH, RCURLE_SSL_CLIENTCERT:
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

private func withoutControls(_ text: String) -> String {
  String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
}
