// SPDX-License-Identifier: Apache-2.0
//
// An open file that closes itself, with reads and writes that retry partial transfers and interrupted calls. Not used
// for the lock file: closing it drops locks, so the registry manages its descriptor.

internal import Glibc

/// An open file, closed when its owner is destroyed.
struct FileDescriptor: ~Copyable, Sendable {
  /// The file descriptor.
  let number: Int32

  private let close: @Sendable (Int32) -> Void

  /// Takes ownership of an open descriptor.
  init(adopting number: Int32, _ calls: SystemCalls) {
    self.number = number
    close = calls.files.close
  }

  /// Writes all bytes from `offset` on. Returns 0 or a negative errno.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, _ calls: SystemCalls) -> Int32 {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = uninterrupted { calls.files.write(number, rest, offset + written) }
      // A write of 0 bytes is an error here, or the loop would never end.
      guard count > 0 else { return count < 0 ? Int32(clamping: count) : -EIO }
      written += count
    }
    return 0
  }

  /// Reads until the buffer is full or the file ends. Returns the number of bytes read, or a negative errno.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int, _ calls: SystemCalls) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = uninterrupted { calls.files.read(number, rest, offset + filled) }
      if count < 0 { return count }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  deinit { close(number) }
}

/// Repeats a call while signals interrupt it (EINTR).
func uninterrupted<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
  while true {
    let answer = call()
    if answer != Answer(-EINTR) { return answer }
  }
}
