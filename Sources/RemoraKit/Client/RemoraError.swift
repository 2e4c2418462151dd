// SPDX-License-Identifier: Apache-2.0
//
// The error type of this module. Its codes are those of the C header, its messages those of the core. A message never
// contains a value of the settings or a credential.

/// An error of Remora. docs/errors.md lists every code with its cause and its remedy.
public struct RemoraError: Error, Hashable, Sendable {
  /// The cause of an error. Later versions may add codes: handle an unknown code like its family.
  public enum Code: String, CaseIterable, Sendable {
    case invalidArgument, notFound, wrongType, timeout, cancelled, closed, busy
    case network, tls, http, redirect, backoff
    case parse, format, tooLarge, rejected, schema
    case signatureMissing, signatureMalformed, signatureMismatch
    case chainMalformed, chainInvalid, chainLocation, certificateExpired, certificateSubject, rootMismatch
    case attachmentMismatch
    case future, equivocation
    case storage, permission, corrupt
    case unavailable, `internal`
  }

  /// A group of codes with the same remedy.
  public enum Family: String, CaseIterable, Sendable {
    /// Fix the call, or use a default value.
    case call
    /// Try again later; if `retryAfter` is not nil, after that time.
    case network
    /// Report the error to the publisher of the settings.
    case document
    /// Report the error to the operator of the server.
    case trust
    /// Check the machine's clock, then report the error to the operator of the server.
    case freshness
    /// Check the free space and the owner of the storage directory.
    case storage
    /// Install or free the resource that the message names.
    case system
  }

  /// The cause of the error.
  public let code: Code
  /// One sentence for people, without a final full stop. If the code is `.invalidArgument`, the message begins with the
  /// name of the parameter or option.
  public let message: String
  /// The parameter or option that is wrong; nil unless the code is `.invalidArgument`.
  public let parameter: String?
  /// The name of the source; nil if the error does not concern a single source.
  public let sourceName: String?
  /// The HTTP status of the response; nil if no complete response was received.
  public let httpStatus: Int?
  /// The time until a retry is useful; nil if unknown.
  public let retryAfter: Duration?
  /// The errno of a failed system call, or libcurl's code of a failed transfer; nil if unknown.
  public let systemCode: Int?

  /// The family of the code.
  public var family: Family {
    switch code {
    case .invalidArgument, .notFound, .wrongType, .timeout, .cancelled, .closed, .busy: .call
    case .network, .tls, .http, .redirect, .backoff: .network
    case .parse, .format, .tooLarge, .rejected, .schema: .document
    case .signatureMissing, .signatureMalformed, .signatureMismatch, .chainMalformed, .chainInvalid, .chainLocation,
      .certificateExpired, .certificateSubject, .rootMismatch, .attachmentMismatch:
      .trust
    case .future, .equivocation: .freshness
    case .storage, .permission, .corrupt: .storage
    case .unavailable, .internal: .system
    }
  }
}

extension RemoraError: CustomStringConvertible {
  /// The name of the source, if there is one, and the message.
  public var description: String { (sourceName.map { "\($0): " } ?? "") + message }
}
