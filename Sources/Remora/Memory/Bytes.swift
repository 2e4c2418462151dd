// SPDX-License-Identifier: Apache-2.0
//
// Access to the bytes of arrays and strings with typed errors, which the standard library's functions do not support,
// bytes of C strings, and tests of eight bytes at once.

internal import Glibc

extension Array where Element: BitwiseCopyable {
  /// Calls `body` with the bytes of the elements.
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
  /// Calls `body` with the UTF-8 of the string, which is not copied.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var text = self
    let outcome: Swift.Result<Result, Failure> = text.withUTF8 { bytes in
      do throws(Failure) {
        return .success(try body(UnsafeRawBufferPointer(bytes)))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}

/// Returns the bytes of a C string without the NUL.
@inline(__always)
package func bytes(of text: UnsafePointer<CChar>) -> UnsafeRawBufferPointer {
  UnsafeRawBufferPointer(start: text, count: strlen(text))
}

extension UInt64 {
  /// Whether one of its eight bytes is zero.
  @inline(__always)
  private var hasZero: Bool { (self &- 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080 != 0 }

  /// Whether one of its eight bytes equals `byte`.
  @inline(__always)
  func hasByte(_ byte: UInt8) -> Bool { (self ^ (0x0101_0101_0101_0101 &* UInt64(byte))).hasZero }

  /// Whether one of its eight bytes is below `limit`, which is at most 0x80.
  @inline(__always)
  func hasByte(below limit: UInt8) -> Bool {
    (self &- (0x0101_0101_0101_0101 &* UInt64(limit))) & ~self & 0x8080_8080_8080_8080 != 0
  }

  /// Whether one of its eight bytes is not ASCII.
  @inline(__always)
  var hasHighByte: Bool { self & 0x8080_8080_8080_8080 != 0 }
}
