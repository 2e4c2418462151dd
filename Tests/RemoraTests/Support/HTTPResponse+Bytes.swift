// SPDX-License-Identifier: Apache-2.0
//
// Responses with bodies from arrays.

@testable import Remora

extension HTTPResponse {
  init(
    status: Int32, url: String, headers: ResponseHeaders = ResponseHeaders(), body: [UInt8] = [], bodyEnd: Int = 0
  ) {
    self.init(status: status, url: url, headers: headers, content: ReceivedBody.copy(of: body), bodyEnd: bodyEnd)
  }

  /// A copy of the body.
  var body: [UInt8] {
    get { Array(content.bytes) }
    set { content = ReceivedBody.copy(of: newValue) }
  }
}

extension ReceivedBody {
  /// Copies bytes to a new body.
  static func copy(of bytes: [UInt8]) -> ReceivedBody {
    do {
      return try bytes.withBytes(ReceivedBody.init(copying:))
    } catch {
      fatalError("no memory for a body")
    }
  }
}
