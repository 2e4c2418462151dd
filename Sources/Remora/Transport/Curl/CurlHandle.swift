// SPDX-License-Identifier: Apache-2.0
//
// An easy handle with the options that hold for many requests. Making one costs more than all else of a short transfer,
// so one that has done its work is used again.

internal import CCurl

/// An easy handle for the requests of one method with the same options of a client.
struct CurlHandle {
  /// libcurl's handle.
  let easy: UnsafeMutableRawPointer
  private let method: HTTPMethod
  private let options: TransportOptions

  /// Makes a handle. Its connections open and close their sockets through `sockets`.
  init(for request: HTTPRequest, url: ParsedURL, sockets: UnsafeMutablePointer<CurlSockets>) throws(RemoraError) {
    guard let easy = rcurl_easy_init() else { throw .transfer(.network, "no memory for a transfer", url: url) }
    self.easy = easy
    method = request.method
    options = request.options
    var settings = CurlSettings(easy: easy)
    settings.note(CurlSockets.track(easy, in: sockets))
    settings.setRules()
    settings.setMethod(method)
    settings.setOptions(options)
    guard settings.code == CURLE_OK else {
      free()
      throw .transfer(settings.code, detail: "", url: url)
    }
  }

  /// Whether a request may use it.
  func fits(_ request: HTTPRequest) -> Bool { method == request.method && options == request.options }

  /// Forgets what belongs to one transfer, whose memory is about to be freed.
  func forgetTransfer() {
    _ = rcurl_set_error_buffer(easy, nil)
    _ = rcurl_set_list(easy, CURLOPT_HTTPHEADER, nil)
  }

  /// Frees it; it is no longer in a multi handle.
  func free() { rcurl_easy_cleanup(easy) }
}
