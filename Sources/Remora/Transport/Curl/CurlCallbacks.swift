// SPDX-License-Identifier: Apache-2.0
//
// The callbacks through which libcurl delivers a response. Called on the driving thread only.

internal import CCurl

/// Makes libcurl deliver the response to `reception`, which must outlive the handle.
func receive(with easy: UnsafeMutableRawPointer, into reception: UnsafeMutablePointer<IncomingAnswer>) -> CURLcode {
  let code = rcurl_set_receiver(easy, CURLOPT_HEADERFUNCTION, headerArrived, CURLOPT_HEADERDATA, reception)
  guard code == CURLE_OK else { return code }
  return rcurl_set_receiver(easy, CURLOPT_WRITEFUNCTION, bodyArrived, CURLOPT_WRITEDATA, reception)
}

private func headerArrived(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let reception = context.assumingMemoryBound(to: IncomingAnswer.self)
  let chunk = UnsafeRawBufferPointer(start: bytes, count: count)  // libcurl's size is always 1
  return reception.pointee.receiveHeader(chunk) ? count : Int(CURL_WRITEFUNC_ERROR)
}

private func bodyArrived(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let reception = context.assumingMemoryBound(to: IncomingAnswer.self)
  let chunk = UnsafeRawBufferPointer(start: bytes, count: count)
  return reception.pointee.receiveBody(chunk) ? count : Int(CURL_WRITEFUNC_ERROR)
}
