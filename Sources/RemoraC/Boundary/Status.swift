// SPDX-License-Identifier: Apache-2.0
//
// The only conversion between the core's error codes and the header's numbers.

internal import CRemora
internal import Remora

extension RemoraError.Code {
  /// The code of a number in the header; nil if no error has it.
  init?(status: Int32) {
    guard let code = Self.allCases.first(where: { $0.status == status }) else { return nil }
    self = code
  }

  var status: Int32 {
    switch self {
    case .invalidArgument: REMORA_ERR_INVALID_ARGUMENT
    case .notFound: REMORA_ERR_NOT_FOUND
    case .wrongType: REMORA_ERR_WRONG_TYPE
    case .timeout: REMORA_ERR_TIMEOUT
    case .cancelled: REMORA_ERR_CANCELLED
    case .closed: REMORA_ERR_CLOSED
    case .busy: REMORA_ERR_BUSY
    case .network: REMORA_ERR_NETWORK
    case .tls: REMORA_ERR_TLS
    case .http: REMORA_ERR_HTTP
    case .redirect: REMORA_ERR_REDIRECT
    case .tooLarge: REMORA_ERR_TOO_LARGE
    case .unavailable: REMORA_ERR_UNAVAILABLE
    case .backoff: REMORA_ERR_BACKOFF
    case .parse: REMORA_ERR_PARSE
    case .format: REMORA_ERR_FORMAT
    case .rejected: REMORA_ERR_REJECTED
    case .schema: REMORA_ERR_SCHEMA
    case .signatureMissing: REMORA_ERR_SIGNATURE_MISSING
    case .signatureMalformed: REMORA_ERR_SIGNATURE_MALFORMED
    case .signatureMismatch: REMORA_ERR_SIGNATURE_MISMATCH
    case .chainMalformed: REMORA_ERR_CHAIN_MALFORMED
    case .chainInvalid: REMORA_ERR_CHAIN_INVALID
    case .certificateExpired: REMORA_ERR_CERTIFICATE_EXPIRED
    case .certificateSubject: REMORA_ERR_CERTIFICATE_SUBJECT
    case .rootMismatch: REMORA_ERR_ROOT_MISMATCH
    case .chainLocation: REMORA_ERR_CHAIN_LOCATION
    case .attachmentMismatch: REMORA_ERR_ATTACHMENT_MISMATCH
    case .future: REMORA_ERR_FUTURE
    case .equivocation: REMORA_ERR_EQUIVOCATION
    case .storage: REMORA_ERR_STORAGE
    case .permission: REMORA_ERR_PERMISSION
    case .corrupt: REMORA_ERR_CORRUPT
    case .internal: REMORA_ERR_INTERNAL
    }
  }

  var name: StaticString {
    switch self {
    case .invalidArgument: "REMORA_ERR_INVALID_ARGUMENT"
    case .notFound: "REMORA_ERR_NOT_FOUND"
    case .wrongType: "REMORA_ERR_WRONG_TYPE"
    case .timeout: "REMORA_ERR_TIMEOUT"
    case .cancelled: "REMORA_ERR_CANCELLED"
    case .closed: "REMORA_ERR_CLOSED"
    case .busy: "REMORA_ERR_BUSY"
    case .network: "REMORA_ERR_NETWORK"
    case .tls: "REMORA_ERR_TLS"
    case .http: "REMORA_ERR_HTTP"
    case .redirect: "REMORA_ERR_REDIRECT"
    case .tooLarge: "REMORA_ERR_TOO_LARGE"
    case .unavailable: "REMORA_ERR_UNAVAILABLE"
    case .backoff: "REMORA_ERR_BACKOFF"
    case .parse: "REMORA_ERR_PARSE"
    case .format: "REMORA_ERR_FORMAT"
    case .rejected: "REMORA_ERR_REJECTED"
    case .schema: "REMORA_ERR_SCHEMA"
    case .signatureMissing: "REMORA_ERR_SIGNATURE_MISSING"
    case .signatureMalformed: "REMORA_ERR_SIGNATURE_MALFORMED"
    case .signatureMismatch: "REMORA_ERR_SIGNATURE_MISMATCH"
    case .chainMalformed: "REMORA_ERR_CHAIN_MALFORMED"
    case .chainInvalid: "REMORA_ERR_CHAIN_INVALID"
    case .certificateExpired: "REMORA_ERR_CERTIFICATE_EXPIRED"
    case .certificateSubject: "REMORA_ERR_CERTIFICATE_SUBJECT"
    case .rootMismatch: "REMORA_ERR_ROOT_MISMATCH"
    case .chainLocation: "REMORA_ERR_CHAIN_LOCATION"
    case .attachmentMismatch: "REMORA_ERR_ATTACHMENT_MISMATCH"
    case .future: "REMORA_ERR_FUTURE"
    case .equivocation: "REMORA_ERR_EQUIVOCATION"
    case .storage: "REMORA_ERR_STORAGE"
    case .permission: "REMORA_ERR_PERMISSION"
    case .corrupt: "REMORA_ERR_CORRUPT"
    case .internal: "REMORA_ERR_INTERNAL"
    }
  }
}

/// Returns the name of any number, also of an unknown status.
private func statusName(_ status: Int32) -> StaticString {
  if status == REMORA_OK { return "REMORA_OK" }
  return RemoraError.Code(status: status)?.name ?? "REMORA_ERR_UNKNOWN"
}

@_cdecl("remora_status_name") @implementation
public func remora_status_name(_ status: Int32) -> UnsafePointer<CChar>? { statusName(status).cString }

@_cdecl("remora_status_family") @implementation
public func remora_status_family(_ status: Int32) -> Int32 {
  status > -100 ? REMORA_FAMILY_NONE : Int32(-(Int64(status) / 100))
}

extension StaticString {
  /// The text as a C string, which is a constant of the library.
  var cString: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
