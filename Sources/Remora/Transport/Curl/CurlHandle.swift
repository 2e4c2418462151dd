// SPDX-License-Identifier: Apache-2.0
//
// An easy handle with the options that hold for many requests. Making one costs more than all else of a short transfer,
// so one that has done its work is used again.

internal import CCurl

/// An easy handle for the requests of one method with the same options of a client, and its memory. Freed by `free` and
/// not by deinit: a forked child abandons it.
final class CurlHandle {
  /// libcurl's handle.
  let easy: UnsafeMutableRawPointer
  /// Where libcurl writes what went wrong.
  let errorText: UnsafeMutablePointer<CChar>
  private let headers: CurlHeaders
  /// The URL of the last transfer as libcurl reads it, and its text.
  private let url: OpaquePointer
  private var urlText = ""
  private let method: HTTPMethod
  private let options: TransportOptions
  private let hasDestination: Bool

  /// Makes a handle. Its connections open and close their sockets through `sockets`.
  init(for request: HTTPRequest, url: ParsedURL, sockets: UnsafeMutablePointer<CurlSockets>) throws(RemoraError) {
    guard let easy = rcurl_easy_init() else { throw .transfer(.network, "no memory for a transfer", url: url) }
    guard let headers = CurlHeaders(request.sharedHeaders), let handle = rcurl_url() else {
      rcurl_easy_cleanup(easy)
      throw .transfer(.network, "no memory for a transfer", url: url)
    }
    self.easy = easy
    self.headers = headers
    self.url = handle
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    method = request.method
    options = request.options
    hasDestination = request.destination != nil
    var settings = CurlSettings(easy: easy)
    settings.note(rcurl_set_error_buffer(easy, errorText))
    settings.note(rcurl_set_list(easy, CURLOPT_HTTPHEADER, headers.list))
    settings.note(CurlSockets.track(easy, in: sockets))
    settings.setRules()
    settings.setMethod(method)
    settings.setOptions(options)
    guard settings.code == CURLE_OK else {
      free()
      throw .transfer(settings.code, detail: "", url: url)
    }
  }

  /// Sets the URL of the next transfer. libcurl reads one that comes again only once.
  func setURL(_ text: String) -> CURLcode {
    guard text != urlText else { return CURLE_OK }
    urlText = ""
    guard rcurl_url_set(url, text) == CURLUE_OK else { return CURLE_URL_MALFORMAT }
    var settings = CurlSettings(easy: easy)
    settings.set(CURLOPT_URL, text)
    settings.note(rcurl_set_url(easy, url))
    if settings.code == CURLE_OK { urlText = text }
    return settings.code
  }

  /// Whether a request may use it.
  func fits(_ request: HTTPRequest) -> Bool {
    method == request.method && hasDestination == (request.destination != nil) && options == request.options
  }

  /// Forgets what belongs to one transfer, whose memory is about to be freed.
  func forgetTransfer() {
    errorText.pointee = 0
    _ = rcurl_set_list(easy, CURLOPT_HTTPHEADER, headers.list)
  }

  /// Frees it; it is no longer in a multi handle.
  func free() {
    rcurl_easy_cleanup(easy)
    rcurl_url_cleanup(url)
    headers.free()
    errorText.deallocate()
  }
}
