// SPDX-License-Identifier: Apache-2.0
//
// Responses with bodies from arrays.

@testable import Remora

extension HTTPResponse {
  init(
    status: Int32, url: String, headers: ResponseHeaders = ResponseHeaders(), body: [UInt8] = [], bodyEnd: Int = 0
  ) {
    self.init(status: status, url: url, headers: headers, content: ReceivedBody(of: body), bodyEnd: bodyEnd)
  }

  /// A copy of the body.
  var body: [UInt8] {
    get { Array(content.bytes) }
    set { content = ReceivedBody(of: newValue) }
  }
}

extension ReceivedBody {
  /// Copies bytes to a new body.
  convenience init(of bytes: [UInt8]) {
    do {
      try self.init(copying: bytes)
    } catch {
      fatalError("no memory for a body")
    }
  }
}
