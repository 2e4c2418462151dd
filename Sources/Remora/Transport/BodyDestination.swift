// SPDX-License-Identifier: Apache-2.0
//
// A destination for a response body that is not collected in memory.
// Invariant: the bytes are never copied to the heap: libcurl's buffer is passed to `write`, in order and without gaps.

/// Receives a response body in place of memory: the driving thread writes the bytes as they arrive.
///
/// Both functions are called on the driving thread only, with no engine lock held; all transfers, and every fork of the
/// process, wait for them. Both are released on that thread too, with everything they capture: before the completion
/// runs, or, after a cancel, as soon as the transfer is dropped. `cancel` does not wait for that, so bytes may still be
/// written after it returned true. Hence this rule: what must be held exclusively while bytes can arrive (a file lock,
/// the open file) is held by `write`, and is given back only when `write` is released. A forked child neither calls nor
/// releases them.
package struct BodyDestination: Sendable {
  /// The number of bytes already present; the rest is requested with a Range header. 0 requests the whole body.
  package var offset: Int
  /// The maximum number of bytes, including those already present; one more is `.tooLarge`.
  package var limit: Int
  /// Writes bytes at an offset; returns 0 or a negative errno. An offset before the current end truncates there first,
  /// even if no bytes follow: what is after the offset is not part of the body.
  package var write: @Sendable (_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int32
  /// Called after each write with the number of bytes present; must return quickly.
  package var progress: @Sendable (_ count: Int) -> Void

  package init(
    offset: Int = 0, limit: Int, write: @escaping @Sendable (_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int32,
    progress: @escaping @Sendable (_ count: Int) -> Void = { _ in }
  ) {
    self.offset = offset
    self.limit = limit
    self.write = write
    self.progress = progress
  }
}
