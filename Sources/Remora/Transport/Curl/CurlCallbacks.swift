// SPDX-License-Identifier: Apache-2.0
//
// The callbacks through which libcurl delivers a response. Called on the driving thread only.

internal import CCurl

/// Makes libcurl deliver the response to `answer`, which must outlive the handle.
func receive(with easy: UnsafeMutableRawPointer, into answer: UnsafeMutablePointer<IncomingResponse>) -> CURLcode {
  let code = rcurl_set_receiver(easy, RCURLOPT_HEADERFUNCTION, headerArrived, RCURLOPT_HEADERDATA, answer)
  guard code == RCURLE_OK else { return code }
  return rcurl_set_receiver(easy, RCURLOPT_WRITEFUNCTION, bodyArrived, RCURLOPT_WRITEDATA, answer)
}

private func headerArrived(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let answer = context.assumingMemoryBound(to: IncomingResponse.self)
  let chunk = UnsafeRawBufferPointer(start: bytes, count: count)  // libcurl's size is always 1
  return answer.pointee.receiveHeader(chunk) ? count : RCURL_WRITEFUNC_ERROR
}

private func bodyArrived(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let answer = context.assumingMemoryBound(to: IncomingResponse.self)
  let chunk = UnsafeRawBufferPointer(start: bytes, count: count)
  return answer.pointee.receiveBody(chunk) ? count : RCURL_WRITEFUNC_ERROR
}
