// SPDX-License-Identifier: Apache-2.0
//
// The options of an easy handle: the rules that always hold, then the host's choices.
// Invariant: each default of libcurl that matters is set in words here, so that a newer libcurl changes nothing.

internal import CCurl

/// Sets options until the first that fails.
struct CurlSettings {
  /// The handle.
  let easy: UnsafeMutableRawPointer
  /// The first failure.
  private(set) var code = CURLE_OK

  /// Works on a fresh handle.
  init(easy: UnsafeMutableRawPointer) { self.easy = easy }

  /// Keeps the first failure.
  mutating func note(_ result: CURLcode) {
    if code == CURLE_OK { code = result }
  }

  /// Sets an option that takes a text.
  mutating func set(_ option: CURLoption, _ text: String) { note(rcurl_set_text(easy, option, text)) }

  /// Sets an option that takes a number.
  mutating func set(_ option: CURLoption, _ number: Int) { note(rcurl_set_long(easy, option, number)) }

  /// What holds for every transfer.
  mutating func setRules() {
    set(CURLOPT_NOSIGNAL, 1)
    // A cancelled transfer does not wait for its name lookup.
    set(CURLOPT_QUICK_EXIT, 1)

    // One request by http or https, to the URL as given and nowhere else.
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_HTTP09_ALLOWED, 0)
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))

    // An answer's own header and its body as sent, read in pieces that keep the limits sharp.
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    set(CURLOPT_BUFFERSIZE, 64 << 10)

    for option in [CURLOPT_SSL_VERIFYPEER, CURLOPT_PROXY_SSL_VERIFYPEER] { set(option, 1) }
    for option in [CURLOPT_SSL_VERIFYHOST, CURLOPT_PROXY_SSL_VERIFYHOST] { set(option, 2) }
    for option in [CURLOPT_SSLVERSION, CURLOPT_PROXY_SSLVERSION] { set(option, CURL_SSLVERSION_TLSv1_2) }
  }

  /// GET, or a POST of nothing.
  mutating func setMethod(_ method: HTTPMethod) {
    switch method {
    case .get: set(CURLOPT_HTTPGET, 1)
    case .post:
      set(CURLOPT_POST, 1)
      set(CURLOPT_POSTFIELDSIZE, 0)
      set(CURLOPT_COPYPOSTFIELDS, "")
    }
  }

  /// The host's choices.
  mutating func setOptions(_ options: TransportOptions) {
    // Empty texts keep libcurl from reading http_proxy and no_proxy.
    set(CURLOPT_PROXY, options.proxy ?? "")
    set(CURLOPT_NOPROXY, "")
    if let caFile = options.caFile {
      set(CURLOPT_CAINFO, caFile)
      set(CURLOPT_PROXY_CAINFO, caFile)
    }
    set(CURLOPT_USERAGENT, options.userAgent)

    // For libcurl 0 is its own default of 300 s, not "off".
    set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(options.connectTimeoutMs) ?? Int(Int32.max))
    set(CURLOPT_TIMEOUT_MS, milliseconds(options.totalTimeoutMs) ?? 0)
    if let stall = milliseconds(options.stallTimeoutMs) {
      set(CURLOPT_LOW_SPEED_LIMIT, 100)
      set(CURLOPT_LOW_SPEED_TIME, (stall + 999) / 1000)
    }
  }
}

/// A limit within what libcurl accepts; nil when it is off. No time at all is one millisecond.
private func milliseconds(_ limit: Int64) -> Int? {
  limit < 0 ? nil : Int(max(1, min(limit, Int64(Int32.max))))
}
