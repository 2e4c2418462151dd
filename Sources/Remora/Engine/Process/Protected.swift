// SPDX-License-Identifier: Apache-2.0
//
// Values that need a proof: of the process's lock, or of the exclusive right to change sources.

/// A value that only a holder of the process's lock reads or changes.
package typealias Guarded<Value> = Protected<Locked, Value>

/// A value that only a holder of the exclusive right reads or changes.
package typealias Confined<Value> = Protected<Exclusive, Value>

/// A value that only a holder of a proof reads or changes.
///
/// `@unchecked Sendable`: each access needs the proof, and one thread at a time has it.
package final class Protected<Proof: ~Copyable, Value>: @unchecked Sendable {
  // The runtime's check that nobody accesses the value during `with` costs an eighth of a snapshot's acquire. Debug
  // builds have it.
  #if !DEBUG
    @exclusivity(unchecked)
  #endif
  private var value: Value

  package init(_ value: Value) { self.value = value }

  /// Reads or changes the value. `body` must not access this value in another way.
  @inline(__always)
  package func with<Result, Failure: Error>(
    _ proof: borrowing Proof, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&value)
  }

  /// Reads a part of the value.
  @inline(__always)
  package func read<Part>(_ proof: borrowing Proof, _ part: KeyPath<Value, Part>) -> Part { value[keyPath: part] }

  /// Sets a part of the value. Returns the part before; where its release may call the host, release it after unlocking.
  @inline(__always) @discardableResult
  package func set<Part>(_ proof: borrowing Proof, _ part: WritableKeyPath<Value, Part>, to next: Part) -> Part {
    let before = value[keyPath: part]
    value[keyPath: part] = next
    return before
  }
}

/// A value that changes only with both proofs, so that either of them is enough to read it.
///
/// `@unchecked Sendable`: a reader with one proof excludes every writer, who needs both.
final class Settled<Value>: @unchecked Sendable {
  #if !DEBUG
    @exclusivity(unchecked)
  #endif
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
