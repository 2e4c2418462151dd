// SPDX-License-Identifier: Apache-2.0
//
// The boundary between C and the core: checks arguments, and writes errors to the caller's memory.

internal import CRemora
internal import Remora

/// Runs the body of an exported function inside the fork gate, and converts its result to a status and an error. The
/// error names the source that `source` returns, if any. The body calls the host only by `HostCalling`.
@inline(__always)
func boundary(
  _ error: UnsafeMutablePointer<remora_error>?, naming source: @autoclosure () -> Source? = nil,
  _ body: () throws(RemoraError) -> Void
) -> Int32 {
  ForkGate.inside { readBoundary(error, naming: source(), body) }
}

/// Does the same outside the fork gate, for functions that read a snapshot, a value or a key: entering the gate would
/// cost more than most of these calls. The reading itself takes no lock of the Swift runtime, except at its first use.
/// A read may also start the polling for updates, or look at the files in a forked child. That code runs with the
/// engine lock or `Worker.gate` held, which a fork takes too. Visitors of a host run outside the gate as well.
@inline(__always)
func readBoundary(
  _ error: UnsafeMutablePointer<remora_error>?, naming source: @autoclosure () -> Source? = nil,
  _ body: () throws(RemoraError) -> Void
) -> Int32 {
  do throws(RemoraError) {
    try body()
    if let error { clear(error) }
    return REMORA_OK
  } catch let failure {
    if let error { fill(error, with: failure, of: source()?.label.name) }
    return failure.code.status
  }
}

/// Runs the body of an exported function of a source. Keeps the source meanwhile, because the body may call the host,
/// and the host may close the handle.
@inline(__always)
func boundary(
  _ error: UnsafeMutablePointer<remora_error>?, of handle: OpaquePointer?, _ body: () throws(RemoraError) -> Void
) -> Int32 {
  let source = handle.map { borrow($0, as: SourceHandle.self).pointee.source }
  return boundary(error, naming: source, body)
}

/// Runs the body of an exported function that reads from a source, outside the fork gate and without keeping the
/// source. Keeping it costs a fifth of the duration of the shortest calls. The body must not call the host.
@inline(__always)
func readBoundary(
  _ error: UnsafeMutablePointer<remora_error>?, ofUnkept handle: OpaquePointer?,
  _ body: () throws(RemoraError) -> Void
) -> Int32 {
  readBoundary(error, naming: handle.map { borrow($0, as: SourceHandle.self).pointee.source }, body)
}

/// Clears the details of an earlier failure.
func clear(_ error: UnsafeMutablePointer<remora_error>) {
  error.pointee.status = REMORA_OK
  error.pointee.http_status = 0
  error.pointee.retry_after_ms = 0
  error.pointee.system_code = 0
  error.pointee.parameter.0 = 0
  error.pointee.source_name.0 = 0
  error.pointee.message.0 = 0
}

/// Writes an error to the caller's memory. Long texts are truncated at a character boundary.
func fill(_ error: UnsafeMutablePointer<remora_error>, with failure: RemoraError, of source: String?) {
  error.pointee = remora_error()  // Also the members of later headers.
  error.pointee.status = failure.code.status
  error.pointee.http_status = failure.httpStatus
  error.pointee.retry_after_ms = failure.retryAfterMs ?? 0
  error.pointee.system_code = failure.systemCode
  withUnsafeMutableBytes(of: &error.pointee.parameter) { name in
    _ = String(failure.parameter).withBytes { copyText($0, to: name) }
  }
  withUnsafeMutableBytes(of: &error.pointee.source_name) { name in
    _ = (source ?? "").withBytes { copyText($0, to: name) }
  }
  withUnsafeMutableBytes(of: &error.pointee.message) { message in
    // A message may contain names that a server has chosen.
    _ = printable(failure.message).withBytes { copyText($0, to: message) }
  }
}

/// Returns an error in the library's memory, for callbacks; all zero if there is no failure.
func makeError(_ failure: RemoraError?, of source: String?) -> remora_error {
  var error = remora_error()
  if let failure { fill(&error, with: failure, of: source) }
  return error
}

/// Calls `body` with an error in the library's memory, or with NULL if there is no failure.
func withError(
  _ failure: RemoraError?, of source: @autoclosure () -> String?, _ body: (UnsafePointer<remora_error>?) -> Void
) {
  guard let failure else { return body(nil) }
  var error = makeError(failure, of: source())
  body(&error)
}

/// Returns an argument that must not be NULL.
@inline(__always)
func require<Argument>(_ argument: Argument?, _ name: StaticString) throws(RemoraError) -> Argument {
  guard let argument else { throw .invalidArgument("\(name)", "must not be NULL") }
  return argument
}

/// Returns the source of a handle that must not be NULL.
@inline(__always)
func requireSource(_ handle: OpaquePointer?) throws(RemoraError) -> Source {
  borrow(try require(handle, "source"), as: SourceHandle.self).pointee.source
}

/// Returns the opening of a source handle that must not be NULL.
@inline(__always)
func requireOpened(_ handle: OpaquePointer?) throws(RemoraError) -> OpenSource {
  borrow(try require(handle, "source"), as: SourceHandle.self).pointee.opened
}

/// Returns the text of an argument or field; nil for NULL.
func text(_ argument: UnsafePointer<CChar>?, _ name: StaticString) throws(RemoraError) -> String? {
  guard let argument else { return nil }
  guard let text = String(validatingCString: argument) else { throw .invalidArgument("\(name)", "is not valid UTF-8") }
  return text
}

/// Returns the texts of a NULL-terminated array; an empty array for NULL.
func texts(
  _ array: UnsafePointer<UnsafePointer<CChar>?>?, _ name: StaticString
) throws(RemoraError) -> [String] {
  var texts: [String] = []
  guard var next = array else { return texts }
  while let item = try text(next.pointee, name) {
    texts.append(item)
    next += 1
  }
  return texts
}

/// Checks a key from the caller that will be stored. Returns a copy of its bytes.
func keyBytes(_ key: UnsafePointer<CChar>?) throws(RemoraError) -> [UInt8] {
  let key = bytes(of: try require(key, "key"))
  try requireKey(key)
  return Array(key)
}

func requireTimeout(_ timeoutMs: Int64) throws(RemoraError) {
  guard timeoutMs >= -1 else {
    throw .invalidArgument("timeout_ms", "is \(timeoutMs); -1 is the only negative number allowed")
  }
}

/// Returns the duration in a field of a structure: 0 means the default, -1 means off.
func duration(_ field: Int64, default: Int64, _ name: StaticString) throws(RemoraError) -> Int64 {
  guard field >= -1 else { throw .invalidArgument("\(name)", "is \(field); -1 is the only negative number allowed") }
  return field == 0 ? `default` : field
}

/// Returns whether the only flag that a function accepts is set.
func hasFlag(_ known: some BinaryInteger, in flags: UInt32) throws(RemoraError) -> Bool {
  guard flags & ~UInt32(known) == 0 else { throw .invalidArgument("flags", "has an unknown bit") }
  return flags != 0
}

/// Returns a boolean field, which must be 0 or 1.
func flag(_ field: Int32, _ name: StaticString) throws(RemoraError) -> Bool {
  guard field == 0 || field == 1 else { throw .invalidArgument("\(name)", "must be 0 or 1") }
  return field == 1
}
