// SPDX-License-Identifier: Apache-2.0
//
// The only error type of the core: a code from a closed set, a message that names the source or file, and retry data. A
// message never contains a value of the settings or a credential.

internal import CSupport

/// An error; each code corresponds to one C status.
package struct RemoraError: Error, Equatable, Sendable {
  /// The closed set of causes; `Status.swift` of the C layer maps each to a status of the C header.
  package enum Code: Sendable, CaseIterable {
    case invalidArgument, notFound, wrongType, timeout, cancelled, closed, busy
    case network, tls, http, redirect, tooLarge, unavailable
    case backoff
    case parse, format, rejected, schema
    case signatureMissing, signatureMalformed, signatureMismatch
    case chainMalformed, chainInvalid, certificateExpired, certificateSubject, rootMismatch, chainLocation
    case attachmentMismatch
    case future, equivocation
    case storage, permission, corrupt
    case `internal`
  }

  package var code: Code
  /// The length of the unusable argument's name in the C header, with which the message begins; 0 for all other errors.
  private var parameterLength: UInt8 = 0
  /// One sentence for people, without a final full stop.
  package internal(set) var message: String
  /// The HTTP status of the failed response, or 0.
  package var httpStatus: Int32
  /// The errno of a failed system call, or libcurl's code of a failed transfer; 0 if unknown.
  package var systemCode: Int32 = 0
  /// The number of milliseconds until a retry is useful; nil if unknown.
  package var retryAfterMs: Int64?

  package init(_ code: Code, _ message: String, httpStatus: Int32 = 0, retryAfterMs: Int64? = nil) {
    self.code = code
    self.message = message
    self.httpStatus = httpStatus
    self.retryAfterMs = retryAfterMs
  }
}

extension RemoraError {
  /// Returns the error for content that a host has rejected.
  package static func rejected(version: Int64) -> RemoraError {
    RemoraError(.rejected, "version \(version) was rejected by a program that uses this data, and is not used again")
  }

  /// Returns the error for an unusable argument or option, which is named as in the C header. The problem contains no
  /// name of the header.
  package static func invalidArgument(_ name: String, _ problem: String) -> RemoraError {
    var error = RemoraError(.invalidArgument, "\(name) \(problem)")
    error.parameterLength = UInt8(clamping: name.utf8.count)
    return error
  }

  /// The name of the unusable argument or option in the C header; empty for all other errors. The message begins with
  /// it, and contains no other name of the header, so that a binding can put its own name in its place.
  package var parameter: Substring { Substring(message.utf8.prefix(Int(parameterLength))) }

  /// Returns the error with text before its message.
  package func prefixed(by text: String) -> RemoraError {
    var error = self
    error.message = text + message
    error.parameterLength = 0
    return error
  }

  /// Returns the error for an argument that is not a JSON Pointer (RFC 6901).
  package static func malformedPointer(_ pointer: String) -> RemoraError {
    .invalidArgument("pointer", "\"\(pointer)\" is not a JSON Pointer (RFC 6901)")
  }

  /// Returns the error for a state that no data, host or system can cause.
  package static func bug(_ problem: String) -> RemoraError { RemoraError(.internal, "bug in Remora: \(problem)") }

  /// Returns the error for memory that the system did not provide.
  package static func outOfMemory(for what: String) -> RemoraError {
    RemoraError(.unavailable, "no memory for \(what)")
  }

  /// The error for a stored file that contains an impossible value: it was changed while it was in use.
  static var damagedFile: RemoraError { RemoraError(.corrupt, "the stored file is damaged") }

  /// The error for a handle whose client is closed.
  package static var closed: RemoraError { RemoraError(.closed, "the client is closed") }

  /// The error for a handle whose source or client is closed.
  package static var closedSource: RemoraError { RemoraError(.closed, "the source or its client is closed") }

  /// The error for operations that need a thread or a request while the process exits.
  package static var exiting: RemoraError { RemoraError(.closed, "the process is exiting") }

  /// Returns the error for an expired time limit of the caller.
  package static func timeout(afterMs limit: Int64) -> RemoraError {
    RemoraError(.timeout, "the call ended without a result after its time limit of \(limit) ms")
  }

  /// Returns the error for a document that violates the protocol at `place`.
  package static func format(_ place: String, _ problem: String) -> RemoraError {
    RemoraError(.format, "\(place) \(problem)")
  }

  /// Returns the error for a response whose body is too large.
  package static func bodyTooLarge(limit: Int) -> RemoraError {
    RemoraError(.tooLarge, "the response body exceeds \(limit) bytes")
  }

  /// Returns the error for a failed system call on a file.
  package static func storage(_ action: String, _ path: String, errno number: Int32) -> RemoraError {
    var error = RemoraError(.storage, "cannot \(action) \(path): \(errorText(number))")
    error.systemCode = number
    return error
  }
}

/// Checks that an argument is not negative, and returns it.
///
/// - Throws: `.invalidArgument`.
@discardableResult
package func requireNotNegative(_ number: Int64, _ name: String) throws(RemoraError) -> Int64 {
  guard number >= 0 else { throw .invalidArgument(name, "is negative") }
  return number
}

/// Returns the system's message for `number`. Safe in any thread.
package func errorText(_ number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  remora_error_text(number, &buffer, buffer.count)
  return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
