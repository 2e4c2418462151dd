// SPDX-License-Identifier: Apache-2.0
//
// Calls of the core: converts errors of the core, and delays forks meanwhile, as the C functions do.

internal import Remora

/// Runs a call of the core inside the gate that delays forks, and converts its error, which names the source, if any.
///
/// `body` must not suspend: the gate belongs to the thread.
func call<Answer>(
  of source: @autoclosure () -> SourceLabel? = nil, _ body: () throws(Remora.RemoraError) -> Answer
) throws(RemoraError) -> Answer {
  let result: Result<Answer, Remora.RemoraError> = ForkGate.inside {
    do throws(Remora.RemoraError) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }
  switch result {
  case .success(let answer): return answer
  case .failure(let error): throw RemoraError(error, of: source())
  }
}

extension RemoraError {
  /// Creates an error about a source, or about a parameter; the message begins with the name of the parameter.
  init(_ code: Code, _ message: String, of source: SourceLabel? = nil, parameter: String? = nil) {
    self.init(
      code: code, message: message, parameter: parameter, sourceName: source?.name, httpStatus: nil, retryAfter: nil,
      systemCode: nil)
  }

  /// Converts an error of the core. Its message begins with the name of the parameter, if any.
  init(_ error: Remora.RemoraError, of source: SourceLabel?) {
    let name = error.parameter.isEmpty ? nil : swiftName(of: error.parameter)
    self.init(
      code: Code(error.code), message: (name ?? "") + error.message.dropFirst(error.parameter.count), parameter: name,
      sourceName: source?.name, httpStatus: error.httpStatus == 0 ? nil : Int(error.httpStatus),
      retryAfter: error.retryAfterMs.map { .milliseconds($0) },
      systemCode: error.systemCode == 0 ? nil : Int(error.systemCode))
  }
}

extension RemoraError.Code {
  /// Converts a code of the core.
  init(_ code: Remora.RemoraError.Code) {
    switch code {
    case .invalidArgument: self = .invalidArgument
    case .notFound: self = .notFound
    case .wrongType: self = .wrongType
    case .timeout: self = .timeout
    case .cancelled: self = .cancelled
    case .closed: self = .closed
    case .busy: self = .busy
    case .network: self = .network
    case .tls: self = .tls
    case .http: self = .http
    case .redirect: self = .redirect
    case .tooLarge: self = .tooLarge
    case .unavailable: self = .unavailable
    case .backoff: self = .backoff
    case .parse: self = .parse
    case .format: self = .format
    case .rejected: self = .rejected
    case .schema: self = .schema
    case .signatureMissing: self = .signatureMissing
    case .signatureMalformed: self = .signatureMalformed
    case .signatureMismatch: self = .signatureMismatch
    case .chainMalformed: self = .chainMalformed
    case .chainInvalid: self = .chainInvalid
    case .certificateExpired: self = .certificateExpired
    case .certificateSubject: self = .certificateSubject
    case .rootMismatch: self = .rootMismatch
    case .chainLocation: self = .chainLocation
    case .attachmentMismatch: self = .attachmentMismatch
    case .future: self = .future
    case .equivocation: self = .equivocation
    case .storage: self = .storage
    case .permission: self = .permission
    case .corrupt: self = .corrupt
    case .internal: self = .internal
    }
  }
}
