// SPDX-License-Identifier: Apache-2.0
//
// Values that need a proof: of the process's lock, or of the exclusive right to change sources.

/// A value that only a holder of the process's lock reads or changes.
///
/// `@unchecked Sendable`: each access needs the proof, and there is one lock.
package final class Guarded<Value>: @unchecked Sendable {
  private var value: Value

  package init(_ value: Value) { self.value = value }

  /// Reads or changes the value. `body` must not access this value in another way.
  @inline(__always)
  package func with<Result, Failure: Error>(
    _ locked: borrowing Locked, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&value)
  }

  /// Reads a part of the value.
  @inline(__always)
  package func read<Part>(_ locked: borrowing Locked, _ part: KeyPath<Value, Part>) -> Part { value[keyPath: part] }

  /// Sets a part of the value. Returns the part before; where its release may call the host, release it after unlocking.
  @inline(__always) @discardableResult
  package func set<Part>(_ locked: borrowing Locked, _ part: WritableKeyPath<Value, Part>, to next: Part) -> Part {
    let before = value[keyPath: part]
    value[keyPath: part] = next
    return before
  }
}

/// A value that only a holder of the exclusive right reads or changes.
///
/// `@unchecked Sendable`: each access needs the proof, and one thread at a time has the right.
final class Confined<Value>: @unchecked Sendable {
  private var value: Value

  init(_ value: Value) { self.value = value }

  /// Reads or changes the value. `body` must not access this value in another way.
  @inline(__always)
  func with<Result, Failure: Error>(
    _ right: borrowing Exclusive, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&value)
  }

  /// Reads a part of the value.
  @inline(__always)
  func read<Part>(_ right: borrowing Exclusive, _ part: KeyPath<Value, Part>) -> Part { value[keyPath: part] }

  /// Sets a part of the value. Returns the part before.
  @inline(__always) @discardableResult
  func set<Part>(_ right: borrowing Exclusive, _ part: WritableKeyPath<Value, Part>, to next: Part) -> Part {
    let before = value[keyPath: part]
    value[keyPath: part] = next
    return before
  }
}

/// A value that changes only with both proofs, so that either of them is enough to read it.
///
/// `@unchecked Sendable`: a reader with one proof excludes every writer, who needs both.
final class Settled<Value>: @unchecked Sendable {
  private var value: Value

  init(_ value: Value) { self.value = value }

  /// Changes the value. `body` must not access this value in another way.
  @inline(__always)
  func change<Result>(
    _ right: borrowing Exclusive, _ locked: borrowing Locked, _ body: (inout Value) -> Result
  ) -> Result {
    body(&value)
  }

  /// Reads a part of the value.
  @inline(__always)
  func read<Part>(_ locked: borrowing Locked, _ part: KeyPath<Value, Part>) -> Part { value[keyPath: part] }

  /// Reads a part of the value.
  @inline(__always)
  func read<Part>(_ right: borrowing Exclusive, _ part: KeyPath<Value, Part>) -> Part { value[keyPath: part] }
}
