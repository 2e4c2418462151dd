// SPDX-License-Identifier: Apache-2.0
//
// Ends the tool with one of the exit statuses that docs/tool.md lists.

internal import Glibc
internal import Remora

/// Returns the exit status for an error.
func exitStatus(of code: RemoraError.Code) -> Int32 {
  switch code {
  case .invalidArgument: 2
  case .network, .tls, .http, .redirect, .timeout, .backoff: 3
  case .signatureMissing, .signatureMalformed, .signatureMismatch, .chainMalformed, .chainInvalid, .certificateExpired,
    .certificateSubject, .rootMismatch, .chainLocation:
    4
  case .parse, .format, .rejected, .schema, .tooLarge, .attachmentMismatch, .future, .equivocation: 5
  case .storage, .permission, .corrupt: 6
  case .unavailable: 7
  case .notFound, .wrongType, .cancelled, .closed, .busy, .internal: 1
  }
}

/// Exits the process with a status.
func leave(_ status: Int32) -> Never { exit(status) }
