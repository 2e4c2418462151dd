// SPDX-License-Identifier: Apache-2.0
//
// An open file that closes itself, with reads and writes that retry partial transfers and interrupted calls.
// Invariant: if the host has closed the descriptor of a file that is kept, its number is neither used nor closed,
// because another file may have it.

internal import Glibc

/// An open file, closed when its owner is destroyed.
struct FileDescriptor: ~Copyable, Sendable {
  private let opened: Int32
  private let close: @Sendable (Int32) -> Void
  private let status: @Sendable (Int32) -> FileStatus
  /// The identity of a file that is kept; nil for a file that is open during one call only.
  private var kept: FileIdentity?

  /// Takes ownership of an open descriptor.
  init(adopting number: Int32, _ calls: SystemCalls) {
    opened = number
    close = calls.files.close
    status = calls.files.status
  }

  /// Takes ownership of a descriptor that is kept open between calls, during which the host may close it.
  init(keeping number: Int32, _ calls: SystemCalls) {
    self.init(adopting: number, calls)
    keep()
  }

  /// Prepares an open file for being kept.
  mutating func keep() { kept = identity }

  /// The file descriptor; -1 if the host has closed it. Costs an fstat for a file that is kept.
  var number: Int32 { kept == nil || kept == identity ? opened : -1 }

  private var identity: FileIdentity? { status(opened).openIdentity }

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

  deinit {
    let number = number
    if number >= 0 { close(number) }
  }
}

/// Repeats a call while signals interrupt it (EINTR).
func uninterrupted<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
  while true {
    let answer = call()
    if answer != Answer(-EINTR) { return answer }
  }
}
