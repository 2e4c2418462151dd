// SPDX-License-Identifier: Apache-2.0

/// The method of a request for a document. A POST has an empty body.
package enum HTTPMethod: String, Sendable {
  case get, post

  /// The method as a request states it, such as "GET".
  package var token: String { rawValue.uppercased() }

  /// Creates the method from a number of the C header.
  ///
  /// - Throws: `.invalidArgument`.
  package init(option number: Int32) throws(RemoraError) {
    switch number {
    case 0: self = .get
    case 1: self = .post
    default: throw .invalidArgument("method", "is \(number), which is not a known method")
    }
  }
}
