// SPDX-License-Identifier: Apache-2.0
//
// The border between C and the core: errors into the caller's memory, arguments out of it.

internal import CRemora
internal import Glibc
internal import Remora

/// Runs the body of an exported function and translates how it ends. Errors of a function of a source name the source.
@inline(__always)
func boundary(
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

/// The same for a function of a source, which is kept: the body may call the host, and the host may close the handle.
@inline(__always)
func boundary(
  _ error: UnsafeMutablePointer<remora_error>?, of handle: OpaquePointer?, _ body: () throws(RemoraError) -> Void
) -> Int32 {
  let source = handle.map { borrow($0, as: SourceHandle.self).pointee.source }
  return boundary(error, naming: source, body)
}

/// The same without keeping the source, which costs a fifth of the shortest calls. The body must not call the host.
@inline(__always)
func boundary(
  _ error: UnsafeMutablePointer<remora_error>?, ofUnkept handle: OpaquePointer?,
  _ body: () throws(RemoraError) -> Void
) -> Int32 {
  boundary(error, naming: handle.map { borrow($0, as: SourceHandle.self).pointee.source }, body)
}

/// Leaves nothing of an earlier failure behind.
func clear(_ error: UnsafeMutablePointer<remora_error>) {
  error.pointee.status = REMORA_OK
  error.pointee.http_status = 0
  error.pointee.retry_after_ms = 0
  error.pointee.source_name.0 = 0
  error.pointee.message.0 = 0
}

/// Writes an error into the caller's memory; long texts are cut between characters.
func fill(_ error: UnsafeMutablePointer<remora_error>, with failure: RemoraError, of source: String?) {
  error.pointee.status = failure.code.status
  error.pointee.http_status = failure.httpStatus
  error.pointee.retry_after_ms = failure.retryAfterMs ?? 0
  withUnsafeMutableBytes(of: &error.pointee.source_name) { name in
    _ = (source ?? "").withBytes { copyText($0, to: name) }
  }
  withUnsafeMutableBytes(of: &error.pointee.message) { message in
    _ = failure.message.withBytes { copyText($0, to: message) }
  }
}

/// An error in memory of our own, for callbacks; all zero without a failure.
func makeError(_ failure: RemoraError?, of source: String?) -> remora_error {
  var error = remora_error()
  if let failure { fill(&error, with: failure, of: source) }
  return error
}

/// Calls `body` with an error in memory of our own, or NULL without a failure.
func withError(
  _ failure: RemoraError?, of source: @autoclosure () -> String?, _ body: (UnsafePointer<remora_error>?) -> Void
) {
  guard let failure else { return body(nil) }
  var error = makeError(failure, of: source())
  body(&error)
}

/// Copies text by the rules of snprintf, cut between characters. Returns its whole length.
func copyText(_ text: UnsafeRawBufferPointer, to buffer: UnsafeMutableRawBufferPointer) -> Int {
  guard buffer.count > 0 else { return text.count }
  var length = min(text.count, buffer.count - 1)
  if length < text.count {
    // A continuation byte at the cut means that the cut is inside of a character.
    while length > 0, text[length] & 0xC0 == 0x80 { length -= 1 }
  }
  buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[..<length]))
  buffer[length] = 0
  return text.count
}

/// The argument, which must not be NULL.
@inline(__always)
func require<Argument>(_ argument: Argument?, _ name: StaticString) throws(RemoraError) -> Argument {
  guard let argument else { throw .invalidArgument("\(name)", "must not be NULL") }
  return argument
}

/// The source of a handle, which must not be NULL.
@inline(__always)
func requireSource(_ handle: OpaquePointer?) throws(RemoraError) -> Source {
  borrow(try require(handle, "source"), as: SourceHandle.self).pointee.source
}

/// The opening that a handle stands for, which must not be NULL.
@inline(__always)
func requireOpened(_ handle: OpaquePointer?) throws(RemoraError) -> OpenSource {
  borrow(try require(handle, "source"), as: SourceHandle.self).pointee.opened
}

/// The text of an argument or field, if there is one.
func text(_ argument: UnsafePointer<CChar>?, _ name: StaticString) throws(RemoraError) -> String? {
  guard let argument else { return nil }
  guard let text = String(validatingCString: argument) else { throw .invalidArgument("\(name)", "is not valid UTF-8") }
  return text
}

/// The texts of a NULL-terminated array; none for NULL.
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

/// Checks a key or name of the caller's, after it was not found or before it is kept.
func requireKey(_ key: UnsafeRawBufferPointer) throws(RemoraError) {
  guard !key.isEmpty else { throw .invalidArgument("key", "is empty") }
  guard key.count <= maximumKeyLength else {
    throw .invalidArgument("key", "has \(key.count) bytes; at most \(maximumKeyLength) are allowed")
  }
  guard String(validating: key, as: UTF8.self) != nil else { throw .invalidArgument("key", "is not valid UTF-8") }
}

/// Checks a JSON Pointer of the caller's before it is kept.
func requirePointer(_ pointer: UnsafePointer<CChar>?) throws(RemoraError) {
  guard let text = try text(pointer, "pointer") else { return }
  guard text.isEmpty || text.withBytes(isJSONPointer) else {
    throw .invalidArgument("pointer", "\"\(text)\" is not a JSON Pointer (RFC 6901)")
  }
}

/// The bytes of a key that will be kept.
func keyBytes(_ key: UnsafePointer<CChar>?) throws(RemoraError) -> [UInt8] {
  let key = bytes(of: try require(key, "key"))
  try requireKey(key)
  return Array(key)
}

/// The bytes of a C string, without the NUL.
func bytes(of text: UnsafePointer<CChar>) -> UnsafeRawBufferPointer {
  UnsafeRawBufferPointer(start: text, count: strlen(text))
}

/// Checks a time limit of the caller's.
func requireTimeout(_ timeoutMs: Int64) throws(RemoraError) {
  guard timeoutMs >= -1 else {
    throw .invalidArgument("timeout_ms", "is \(timeoutMs); -1 is the only negative number allowed")
  }
}

/// A duration of a structure: 0 is the default, -1 is off.
func duration(_ field: Int64, default: Int64, _ name: StaticString) throws(RemoraError) -> Int64 {
  guard field >= -1 else { throw .invalidArgument("\(name)", "is \(field); -1 is the only negative number allowed") }
  return field == 0 ? `default` : field
}

/// A reserved or flag field that must be 0.
func requireZero(_ field: some BinaryInteger, _ name: StaticString) throws(RemoraError) {
  guard field == 0 else { throw .invalidArgument("\(name)", "must be 0") }
}

/// Whether the only flag that a function knows is set.
func hasFlag(_ known: some BinaryInteger, _ name: StaticString, in flags: UInt32) throws(RemoraError) -> Bool {
  guard flags & ~UInt32(known) == 0 else { throw .invalidArgument("flags", "must be 0 or \(name)") }
  return flags != 0
}

/// A field that says yes or no.
func flag(_ field: Int32, _ name: StaticString) throws(RemoraError) -> Bool {
  guard field == 0 || field == 1 else { throw .invalidArgument("\(name)", "must be 0 or 1") }
  return field == 1
}
