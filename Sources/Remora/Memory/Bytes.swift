// SPDX-License-Identifier: Apache-2.0
//
// Access to the bytes of arrays and strings with typed errors, which the standard library's functions do not support,
// bytes of C strings, comparisons, and tests of eight bytes at once.

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

/// Compares two byte sequences as `memcmp` does, the shorter first; for UTF-8 that is the order of code points.
@inline(__always)
package func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  let common = min(left.count, right.count)
  if common > 0, let leftStart = left.baseAddress, let rightStart = right.baseAddress {
    let order = memcmp(leftStart, rightStart, common)
    if order != 0 { return Int(order) }
  }
  return left.count - right.count
}

extension UnsafeRawBufferPointer {
  /// Returns the 8 bytes that begin at a position, the first one highest, with zeros after the last byte. If two of
  /// them differ, their order is that of the bytes.
  @inline(__always)
  func prefix(at position: Int) -> UInt64 {
    if position &+ 8 <= count { return loadUnaligned(fromByteOffset: position, as: UInt64.self).bigEndian }
    var prefix: UInt64 = 0
    for index in position..<(position &+ 8) { prefix = prefix << 8 | (index < count ? UInt64(self[index]) : 0) }
    return prefix
  }
}

/// Whether two byte sequences of equal length are the same. Compares words, the last of which may overlap, because a
/// call of memcmp costs as much as the rest of a look-up.
@inline(__always)
func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return left.count == right.count }
  let last = left.count &- 8
  guard last >= 0 else { return memcmp(leftStart, rightStart, left.count) == 0 }
  var offset = 0
  while offset < last {
    guard word(leftStart, offset) == word(rightStart, offset) else { return false }
    offset &+= 8
  }
  return word(leftStart, last) == word(rightStart, last)
}

@inline(__always)
private func word(_ start: UnsafeRawPointer, _ offset: Int) -> UInt64 {
  start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
}
