// SPDX-License-Identifier: Apache-2.0
//
// The methods of requests.

/// How a document is requested. A POST has an empty body.
package enum HTTPMethod: String, Sendable { case get, post }
