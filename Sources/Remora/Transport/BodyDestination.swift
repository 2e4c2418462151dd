// SPDX-License-Identifier: Apache-2.0
//
// Where a body goes instead of into memory. Invariant: its bytes never become part of the heap: they go from libcurl's
// buffer to `write`, in order and without gaps.

/// Where a body goes instead of into memory: the driving thread writes it as it comes.
///
/// Both functions are called on the driving thread alone, with no engine lock held, and all transfers and every fork
/// of the process wait for them. They are let go there too, with what they hold: before the completion runs, and after
/// a cancel as soon as the transfer is dropped. `cancel` itself does not wait for that, so bytes may still be written
/// after it returned true. Hence the rule: what nobody else may have while bytes can come (the lock of a file, the open
/// file) is held by `write`, and given back by letting go of it alone. A forked child never calls them, nor lets go.
package struct BodyDestination: Sendable {
  /// Bytes that are there already; the rest is asked for by Range. 0 asks for everything.
  package var offset: Int
  /// Most bytes, with those that are there; one more is `.tooLarge`.
  package var limit: Int
  /// Writes bytes at an offset: 0 or a negative errno. An offset before the end begins anew from there: what is behind
  /// it is no part of the body, also when no bytes come.
  package var write: @Sendable (_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int32
  /// Told how many bytes are there now, after each write; must be quick.
  package var progress: @Sendable (_ count: Int) -> Void

  /// Makes a destination.
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
