// SPDX-License-Identifier: Apache-2.0
//
// The rules for keys.

/// The longest key of an entry, in bytes.
package let maximumKeyLength = 65_535

/// Checks the length of a key that a host passed.
///
/// - Throws: `.invalidArgument`.
package func requireKeyLength(_ length: Int) throws(RemoraError) {
  guard length != 0 else { throw .invalidArgument("key", "is empty") }
  guard (1...maximumKeyLength).contains(length) else {
    throw .invalidArgument("key", "has \(UInt(bitPattern: length)) bytes; at most \(maximumKeyLength) are allowed")
  }
}

/// Checks a key that a host passed, after it was not found or before it is stored.
///
/// - Throws: `.invalidArgument`.
package func requireKey(_ key: UnsafeRawBufferPointer) throws(RemoraError) {
  try requireKeyLength(key.count)
  guard String(validating: key, as: UTF8.self) != nil else { throw .invalidArgument("key", "is not valid UTF-8") }
}
