// SPDX-License-Identifier: Apache-2.0
//
// The strictness with which a response is read.

/// The properties of a response that are accepted beyond a source's protocol.
package enum Hosting: Sendable {
  /// None: the server implements one protocol, and responses are signed.
  case strict
  /// Common behaviour of file servers and proxies: status 203, and a Content-Encoding header for a body that is not
  /// encoded.
  case any
}
