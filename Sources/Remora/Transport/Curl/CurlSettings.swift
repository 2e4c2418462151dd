// SPDX-License-Identifier: Apache-2.0
//
// The options of an easy handle: first the fixed rules, then the host's choices.
// Invariant: each libcurl default that matters is set explicitly, so that a newer libcurl changes nothing.

internal import CCurl

/// Sets options of an easy handle until the first failure.
struct CurlSettings {
  let easy: UnsafeMutableRawPointer
  /// The result of the first call that failed.
  private(set) var code = RCURLE_OK

  init(easy: UnsafeMutableRawPointer) { self.easy = easy }

  /// Records `result` if it is the first failure.
  mutating func note(_ result: CURLcode) {
    if code == RCURLE_OK { code = result }
  }

  mutating func set(_ option: CURLoption, _ text: String) { note(rcurl_set_text(easy, option, text)) }

  mutating func set(_ option: CURLoption, _ number: Int) { note(rcurl_set_long(easy, option, number)) }

  /// Sets the options that apply to every transfer.
  mutating func setRules() {
    set(RCURLOPT_NOSIGNAL, 1)
    // Cancelling a transfer does not wait for its name lookup.
    set(RCURLOPT_QUICK_EXIT, 1)

    // One request by http or https, to the given URL only.
    set(RCURLOPT_PROTOCOLS_STR, "http,https")
    set(RCURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    set(RCURLOPT_FOLLOWLOCATION, 0)
    set(RCURLOPT_HTTP09_ALLOWED, 0)
    set(RCURLOPT_HTTP_VERSION, RCURL_HTTP_VERSION_2TLS)
    set(RCURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    set(RCURLOPT_NETRC, RCURL_NETRC_IGNORED)

    // Only the response's own header, and its body as sent. Small buffers keep the limits exact.
    set(RCURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(RCURLOPT_HTTP_CONTENT_DECODING, 0)
    set(RCURLOPT_BUFFERSIZE, 64 << 10)

    for option in [RCURLOPT_SSL_VERIFYPEER, RCURLOPT_PROXY_SSL_VERIFYPEER] { set(option, 1) }
    for option in [RCURLOPT_SSL_VERIFYHOST, RCURLOPT_PROXY_SSL_VERIFYHOST] { set(option, 2) }
    for option in [RCURLOPT_SSLVERSION, RCURLOPT_PROXY_SSLVERSION] { set(option, RCURL_SSLVERSION_TLSv1_2) }
  }

  /// Sets the method: GET, or POST with an empty body.
  mutating func setMethod(_ method: HTTPMethod) {
    switch method {
    case .get: set(RCURLOPT_HTTPGET, 1)
    case .post:
      set(RCURLOPT_POST, 1)
      set(RCURLOPT_POSTFIELDSIZE, 0)
      set(RCURLOPT_COPYPOSTFIELDS, "")
    }
  }

  /// Sets the options that the host chose.
  mutating func setOptions(_ options: TransportOptions) {
    // Empty strings keep libcurl from reading http_proxy and no_proxy.
    let socket = socketPath(ofProxy: options.proxy)
    set(RCURLOPT_PROXY, socket == nil ? options.proxy ?? "" : "")
    if let socket { set(RCURLOPT_UNIX_SOCKET_PATH, socket) }
    set(RCURLOPT_NOPROXY, "")
    if let caFile = options.caFile {
      set(RCURLOPT_CAINFO, caFile)
      set(RCURLOPT_PROXY_CAINFO, caFile)
    }
    if let certificate = options.clientCertificate {
      set(RCURLOPT_SSLCERT, certificate.certificateFile)
      set(RCURLOPT_SSLKEY, certificate.keyFile)
      // A resumed TLS session would keep the identity of a certificate that was replaced.
      set(RCURLOPT_SSL_SESSIONID_CACHE, 0)
    }
    set(RCURLOPT_USERAGENT, options.userAgent)

    // libcurl treats 0 as its own default of 300 s, not as "off".
    set(RCURLOPT_CONNECTTIMEOUT_MS, milliseconds(options.connectTimeoutMs) ?? Int(Int32.max))
    if let stall = milliseconds(options.stallTimeoutMs) {
      set(RCURLOPT_LOW_SPEED_LIMIT, 100)
      set(RCURLOPT_LOW_SPEED_TIME, (stall + 999) / 1000)
    }
  }

  /// Sets the time limit of one transfer, which has waited for other requests to its server.
  mutating func setTotalTimeout(_ limit: Int64, waitedMs: Int64) {
    set(RCURLOPT_TIMEOUT_MS, milliseconds(limit < 0 ? limit : max(0, limit.addingClamped(-waitedMs))) ?? 0)
  }
}

/// Clamps a limit to the range that libcurl accepts; nil if the limit is off. A limit of 0 becomes one millisecond.
private func milliseconds(_ limit: Int64) -> Int? {
  limit < 0 ? nil : Int(max(1, min(limit, Int64(Int32.max))))
}
