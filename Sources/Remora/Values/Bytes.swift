// SPDX-License-Identifier: Apache-2.0
//
// Access to the bytes of arrays and strings with typed errors, which the library's own functions do not carry through.

extension Array where Element == UInt8 {
  /// Calls `body` with the bytes.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outcome: Swift.Result<Result, Failure> = withUnsafeBytes { bytes in
      do throws(Failure) {
        return .success(try body(bytes))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}

extension String {
  /// Calls `body` with the UTF-8 of the string.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try Array(utf8).withBytes(body)
  }
}
