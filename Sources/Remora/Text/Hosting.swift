// SPDX-License-Identifier: Apache-2.0
//
// How strictly an answer is read.

/// What is accepted of an answer beyond what the protocol of a source prescribes.
package enum Hosting: Sendable {
  /// Nothing: the server speaks one protocol, and an answer is signed.
  case strict
  /// What servers of files and proxies do: status 203, and a Content-Encoding that did not encode the body.
  case any
}
