// SPDX-License-Identifier: Apache-2.0
//
// The document of a response, which is decoded while a large body arrives. Nothing else happens before the body is
// complete: a body that is cut off or invalid is dropped, as if it had never been decoded.

/// `@unchecked Sendable`: only the thread that processes the response decodes.
package final class ArrivingDocument: @unchecked Sendable {
  private let decoder: any DocumentDecoder
  private var failure: RemoraError?

  init(_ dialect: any Dialect) { decoder = dialect.decoder() }

  /// Decodes the part of the body that has arrived. An error is thrown by `finish`, because the transfer may fail for
  /// another reason before.
  func decode(_ arrived: ReceivedBody) {
    guard failure == nil else { return }
    do throws(RemoraError) {
      defer { withExtendedLifetime(arrived) {} }
      try decoder.decode(DocumentText(discarding: arrived))
    } catch {
      failure = error
    }
  }

  func finish(_ body: ReceivedBody) throws(RemoraError) -> Document {
    defer { withExtendedLifetime(body) {} }
    if let failure { throw failure }
    return try decoder.finish(DocumentText(discarding: body))
  }
}
