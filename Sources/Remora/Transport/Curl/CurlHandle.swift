// SPDX-License-Identifier: Apache-2.0
//
// A libcurl easy handle with the options that many requests share. Creating a handle is the most expensive part of a
// short transfer, so handles are reused.

internal import CCurl

/// An easy handle and its memory, for requests with the same method and the same client options. Freed by `free` rather
/// than by deinit, because a forked child must abandon it.
final class CurlHandle {
  /// libcurl's handle.
  let easy: UnsafeMutableRawPointer
  /// The buffer in which libcurl stores its error message.
  let errorText: UnsafeMutablePointer<CChar>
  /// Allocated, so that its address stays valid for libcurl until `free`.
  private let opening: UnsafeMutablePointer<SocketOpening>
  private let headers: CurlHeaders
  /// The URL of the last transfer, as parsed by libcurl, and its text.
  private let url: OpaquePointer
  private var urlText = ""
  private let method: HTTPMethod
  private let options: TransportOptions
  private let hasDestination: Bool

  /// Creates a handle whose connections open and close their sockets through `sockets`.
  init(for request: HTTPRequest, url: ParsedURL, sockets: UnsafeMutablePointer<CurlSockets>) throws(RemoraError) {
    guard let easy = rcurl_easy_init() else { throw .transfer(.unavailable, "no memory for a transfer", url: url) }
    guard let headers = CurlHeaders(request.sharedHeaders), let handle = rcurl_url() else {
      rcurl_easy_cleanup(easy)
      throw .transfer(.unavailable, "no memory for a transfer", url: url)
    }
    self.easy = easy
    self.headers = headers
    self.url = handle
    errorText = .allocate(capacity: RCURL_ERROR_SIZE)
    errorText.initialize(repeating: 0, count: RCURL_ERROR_SIZE)
    opening = .allocate(capacity: 1)
    opening.initialize(to: SocketOpening(sockets: sockets))
    method = request.method
    options = request.options
    hasDestination = request.destination != nil
    var settings = CurlSettings(easy: easy)
    settings.note(rcurl_set_error_buffer(easy, errorText))
    settings.note(rcurl_set_list(easy, RCURLOPT_HTTPHEADER, headers.list))
    settings.note(CurlSockets.track(easy, opening: opening))
    settings.setRules()
    settings.setMethod(method)
    settings.setOptions(options)
    guard settings.code == RCURLE_OK else {
      free()
      throw .transfer(settings.code, detail: "", url: url)
    }
  }

  /// Sets the URL of the next transfer. An unchanged URL is not parsed again.
  func setURL(_ text: String) -> CURLcode {
    guard text != urlText else { return RCURLE_OK }
    urlText = ""
    guard rcurl_url_set(url, text) == RCURLUE_OK else { return RCURLE_URL_MALFORMAT }
    var settings = CurlSettings(easy: easy)
    settings.set(RCURLOPT_URL, text)
    settings.note(rcurl_set_url(easy, url))
    if settings.code == RCURLE_OK { urlText = text }
    return settings.code
  }

  /// Whether the handle can be used for `request`.
  func fits(_ request: HTTPRequest) -> Bool {
    method == request.method && hasDestination == (request.destination != nil) && options == request.options
  }

  /// Returns the error of the transfer that libcurl ended with a code.
  func error(_ code: CURLcode, url: ParsedURL) -> RemoraError {
    let proxyStatus = rcurl_proxy_code(easy)
    guard proxyStatus < 300 else { return .refusedByProxy(status: proxyStatus, url: url) }
    if let missing = missingResource(code) { return .transfer(.unavailable, missing, url: url) }
    return .transfer(code, detail: String(cString: errorText), url: url)
  }

  /// Returns the resource of the system whose absence ended the transfer; nil if there is another cause.
  private func missingResource(_ code: CURLcode) -> String? {
    switch code {
    case RCURLE_COULDNT_CONNECT: missing(opening.pointee.refusal, for: "a connection")
    // libcurl does not report the error numbers of name lookups and files.
    case RCURLE_COULDNT_RESOLVE_HOST, RCURLE_COULDNT_RESOLVE_PROXY:
      missing(refusalOfDescriptors(), for: "a name lookup")
    case RCURLE_SSL_CACERT_BADFILE: missing(refusalOfDescriptors(), for: "the file of TLS certificates")
    default: nil
    }
  }

  /// Clears the options of one transfer, whose memory is about to be freed.
  func forgetTransfer() {
    errorText.pointee = 0
    opening.pointee.refusal = 0
    _ = rcurl_set_list(easy, RCURLOPT_HTTPHEADER, headers.list)
  }

  /// Frees the handle, which must no longer be in a multi handle.
  func free() {
    rcurl_easy_cleanup(easy)
    rcurl_url_cleanup(url)
    headers.free()
    opening.deallocate()
    errorText.deallocate()
  }
}
