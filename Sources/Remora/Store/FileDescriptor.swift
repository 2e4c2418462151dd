// SPDX-License-Identifier: Apache-2.0
//
// An open file that closes itself, and whole reads and writes over a system that may do less or be interrupted.
// Never used for the lock file: closing that one drops locks, so the registry owns its number.

internal import Glibc

/// An open file, closed with its owner.
struct FileDescriptor: ~Copyable, Sendable {
  /// The system's number.
  let number: Int32

  private let close: @Sendable (Int32) -> Void

  /// Takes over an open descriptor.
  init(adopting number: Int32, _ calls: SystemCalls) {
    self.number = number
    close = calls.close
  }

  /// Writes all bytes from `offset`. Answers 0 or a negative errno.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, _ calls: SystemCalls) -> Int32 {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = uninterrupted { calls.write(number, rest, offset + written) }
      // No progress and no reason: treat it as an error, or this would never end.
      guard count > 0 else { return count < 0 ? Int32(clamping: count) : -EIO }
      written += count
    }
    return 0
  }

  /// Reads until the buffer is full or the file ends. Answers the bytes read or a negative errno.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int, _ calls: SystemCalls) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = uninterrupted { calls.read(number, rest, offset + filled) }
      if count < 0 { return count }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  deinit { close(number) }
}

/// Makes a call again for as long as a signal interrupts it.
func uninterrupted<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
  while true {
    let answer = call()
    if answer != Answer(-EINTR) { return answer }
  }
}
