// SPDX-License-Identifier: Apache-2.0

/// The method of a request for a document. A POST has an empty body.
package enum HTTPMethod: String, Sendable { case get, post }
