// SPDX-License-Identifier: Apache-2.0
//
// The one error type of the core: a closed code, a sentence that names the thing, and what a retry needs.
// No sentence has a value of the settings or a credential in it.

/// What went wrong, in a form that maps to one C status each.
package struct RemoraError: Error, Equatable, Sendable {
  /// The closed set of causes; `Status.swift` of the C layer maps each to a number of the header.
  package enum Code: Sendable, CaseIterable {
    case invalidArgument, notFound, wrongType, timeout, cancelled, closed, busy
    case network, tls, http, redirect, tooLarge, unavailable
    case backoff
    case parse, format
    case signatureMissing, signatureMalformed, signatureMismatch
    case chainMalformed, chainInvalid, certificateExpired, certificateSubject, rootMismatch, chainLocation
    case attachmentMismatch
    case future, equivocation
    case storage, permission, corrupt
    case `internal`
  }

  /// The cause.
  package var code: Code
  /// One sentence for a person, without a final stop.
  package var message: String
  /// The HTTP status of the answer that failed, or 0.
  package var httpStatus: Int32
  /// Milliseconds until a retry makes sense, when known.
  package var retryAfterMs: Int64?

  /// Makes an error from its parts.
  package init(_ code: Code, _ message: String, httpStatus: Int32 = 0, retryAfterMs: Int64? = nil) {
    self.code = code
    self.message = message
    self.httpStatus = httpStatus
    self.retryAfterMs = retryAfterMs
  }
}

extension RemoraError {
  /// An argument or option that cannot be used, by its name in the header.
  package static func invalidArgument(_ name: String, _ problem: String) -> RemoraError {
    RemoraError(.invalidArgument, "\(name) \(problem)")
  }

  /// The client that the handle belonged to is closed.
  package static var closed: RemoraError { RemoraError(.closed, "the client is closed") }

  /// What asks for a thread or a request while the process exits.
  package static var exiting: RemoraError { RemoraError(.closed, "the process is exiting") }

  /// The caller's own time limit ended.
  package static func timeout(afterMs limit: Int64) -> RemoraError {
    RemoraError(.timeout, "no answer within the caller's limit of \(limit) ms")
  }

  /// The document breaks the shape that the protocol prescribes at a place.
  package static func format(_ place: String, _ problem: String) -> RemoraError {
    RemoraError(.format, "\(place) \(problem)")
  }

  /// A system call on a file failed.
  package static func storage(_ action: String, _ path: String, errno number: Int32) -> RemoraError {
    RemoraError(.storage, "\(action) \(path): \(errorText(number))")
  }
}
