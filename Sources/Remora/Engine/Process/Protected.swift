// SPDX-License-Identifier: Apache-2.0
//
// Values that can be accessed only with a proof: of the process's lock, or of the exclusive right to change sources.

/// A value that only a holder of the process's lock can read or change.
package typealias Guarded<Value> = Protected<Locked, Value>

/// A value that only a holder of the exclusive right can read or change.
package typealias Confined<Value> = Protected<Exclusive, Value>

/// A value that only a holder of a proof can read or change.
///
/// A struct in raw memory. A generic class would need metadata created at run time for each type of value in each
/// process, and would count references at each access.
///
/// `@unchecked Sendable`: each access needs the proof, which one thread at a time has.
package struct Protected<Proof: ~Copyable, Value>: ~Copyable, @unchecked Sendable {
  private let cell: Cell<Value>

  package init(_ value: Value) { cell = Cell(value) }

  deinit { cell.free() }

  /// Reads or changes the value. `body` must not access this value in another way.
  @inline(__always)
  package func with<Result, Failure: Error>(
    _ proof: borrowing Proof, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try cell.with(body)
  }

  /// Reads a part of the value.
  @inline(__always)
  package func read<Part>(_ proof: borrowing Proof, _ part: KeyPath<Value, Part>) -> Part { cell.read(part) }

  /// Sets a part of the value. Returns the previous part; if releasing it may call the host, release it after
  /// unlocking.
  @inline(__always) @discardableResult
  package func set<Part>(_ proof: borrowing Proof, _ part: WritableKeyPath<Value, Part>, to next: Part) -> Part {
    cell.with { value in
      let before = value[keyPath: part]
      value[keyPath: part] = next
      return before
    }
  }
}

/// A value that can be changed only with both proofs, so that either of them is enough to read it.
///
/// `@unchecked Sendable`: a reader with one proof excludes every writer, who needs both.
struct Settled<Value>: ~Copyable, @unchecked Sendable {
  private let cell: Cell<Value>

  init(_ value: Value) { cell = Cell(value) }

  deinit { cell.free() }

  /// Changes the value. `body` must not access this value in another way.
  @inline(__always)
  func change<Result>(
    _ right: borrowing Exclusive, _ locked: borrowing Locked, _ body: (inout Value) -> Result
  ) -> Result {
    cell.with(body)
  }

  /// Reads a part of the value.
  @inline(__always)
  func read<Part>(_ locked: borrowing Locked, _ part: KeyPath<Value, Part>) -> Part { cell.read(part) }

  /// Reads a part of the value.
  @inline(__always)
  func read<Part>(_ right: borrowing Exclusive, _ part: KeyPath<Value, Part>) -> Part { cell.read(part) }
}

/// The memory of a value. Debug builds check that the value is not accessed during `with`.
private struct Cell<Value> {
  #if DEBUG
    private let isChanging: UnsafeMutablePointer<Bool>
  #endif
  private let value: UnsafeMutablePointer<Value>

  init(_ first: Value) {
    value = .allocate(capacity: 1)
    value.initialize(to: first)
    #if DEBUG
      isChanging = .allocate(capacity: 1)
      isChanging.initialize(to: false)
    #endif
  }

  func free() {
    value.deinitialize(count: 1)
    value.deallocate()
    #if DEBUG
      isChanging.deallocate()
    #endif
  }

  @inline(__always)
  func with<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    #if DEBUG
      assert(!isChanging.pointee, "accessed while it changes")
      isChanging.pointee = true
      defer { isChanging.pointee = false }
    #endif
    return try body(&value.pointee)
  }

  @inline(__always)
  func read<Part>(_ part: KeyPath<Value, Part>) -> Part {
    #if DEBUG
      assert(!isChanging.pointee, "read while it changes")
    #endif
    return value.pointee[keyPath: part]
  }
}
