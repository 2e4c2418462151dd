// SPDX-License-Identifier: Apache-2.0
//
// libcurl's codes as errors of the core. Invariant: a text names the host, never path, query or credentials,
// and holds no control bytes, whatever a server sent.

internal import CCurl

extension RemoraError {
  /// A transfer to `url` that libcurl ended; `detail` is the text of its error buffer.
  static func transfer(_ code: CURLcode, detail: String, url: ParsedURL) -> RemoraError {
    // libcurl repeats a proxy that it cannot use, with its password.
    let mayRepeatCredentials = detail.utf8.contains(UInt8(ascii: "@"))
    let text = detail.isEmpty || mayRepeatCredentials ? String(cString: rcurl_easy_strerror(code)) : detail
    return .transfer(remoraCode(for: code), text, url: url)
  }

  /// A transfer to `url` that failed for a reason of our own.
  static func transfer(_ code: Code, _ text: String, url: ParsedURL) -> RemoraError {
    RemoraError(code, "\(url.originText): \(withoutControls(text))")
  }
}

private func remoraCode(for code: CURLcode) -> RemoraError.Code {
  switch code {
  case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
    CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_INVALIDCERTSTATUS,
    CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED,
    CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CLIENTCERT:
    .tls
  case CURLE_URL_MALFORMAT:
    .invalidArgument
  case CURLE_FILESIZE_EXCEEDED:
    .tooLarge
  default:  // also CURLE_UNSUPPORTED_PROTOCOL: for a validated URL it means an answer that is not HTTP/1 or 2
    .network
  }
}

private func withoutControls(_ text: String) -> String {
  String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
}
