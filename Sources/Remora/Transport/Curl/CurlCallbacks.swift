// SPDX-License-Identifier: Apache-2.0
//
// The callbacks through which libcurl delivers a response. Called on the driving thread only.

internal import CCurl

/// Makes libcurl deliver the response to `answer`, which must outlive the handle.
func receive(with easy: UnsafeMutableRawPointer, into answer: UnsafeMutablePointer<IncomingResponse>) -> CURLcode {
  let code = rcurl_set_receiver(easy, CURLOPT_HEADERFUNCTION, headerArrived, CURLOPT_HEADERDATA, answer)
  guard code == CURLE_OK else { return code }
  return rcurl_set_receiver(easy, CURLOPT_WRITEFUNCTION, bodyArrived, CURLOPT_WRITEDATA, answer)
}

private func headerArrived(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let answer = context.assumingMemoryBound(to: IncomingResponse.self)
  let chunk = UnsafeRawBufferPointer(start: bytes, count: count)  // libcurl's size is always 1
  return answer.pointee.receiveHeader(chunk) ? count : Int(CURL_WRITEFUNC_ERROR)
}

private func bodyArrived(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let answer = context.assumingMemoryBound(to: IncomingResponse.self)
  let chunk = UnsafeRawBufferPointer(start: bytes, count: count)
  return answer.pointee.receiveBody(chunk) ? count : Int(CURL_WRITEFUNC_ERROR)
}
