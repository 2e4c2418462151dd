// SPDX-License-Identifier: Apache-2.0
//
// Values that are indexed by a proof: of holding the engine lock, or of the exclusive right to change sources. Code
// without the proof cannot name the value.

/// A value that only a holder of the engine lock can read or change: `state[locked].isEnded`.
package typealias Guarded<Value> = Protected<Locked, Value>

/// A value that only a holder of the exclusive right can read or change: `work[exclusive].path`.
package typealias Confined<Value> = Protected<Exclusive, Value>

/// A value that only a holder of a proof can read or change.
///
/// A struct in raw memory. A generic class would need metadata created at run time for each type of value in each
/// process, and would count references at each access.
///
/// `@unchecked Sendable`: each access needs the proof, which one thread at a time has.
package struct Protected<Proof: ~Escapable, Value>: ~Copyable, @unchecked Sendable {
  private let cell: Cell<Value>

  package init(_ value: Value) { cell = Cell(value) }

  deinit { cell.free() }

  /// The value. An assignment releases the previous value; if that may call the host, use `exchange`.
  package subscript(proof: Proof) -> Value {
    @inline(__always) _read { yield cell.value }
    @inline(__always) nonmutating _modify { yield &cell.value }
  }

  /// Makes several changes. `body` must not access this value in another way.
  @inline(__always)
  package func with<Result, Failure: Error>(
    _ proof: Proof, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&cell.value)
  }
}

/// A value that can be changed only with both proofs, so that either of them is enough to read it.
///
/// `@unchecked Sendable`: a reader with one proof excludes every writer, who needs both.
struct Settled<Value>: ~Copyable, @unchecked Sendable {
  private let cell: Cell<Value>

  init(_ value: Value) { cell = Cell(value) }

  deinit { cell.free() }

  subscript(locked: Locked) -> Value { @inline(__always) _read { yield cell.value } }

  subscript(exclusive: Exclusive) -> Value { @inline(__always) _read { yield cell.value } }

  subscript(exclusive: Exclusive, locked: Locked) -> Value {
    @inline(__always) _read { yield cell.value }
    @inline(__always) nonmutating _modify { yield &cell.value }
  }
}

/// Sets a place, and returns what it had. If releasing that may call the host, release it after unlocking.
package func exchange<Value>(_ place: inout Value, _ next: Value) -> Value {
  defer { place = next }
  return place
}

/// The memory of a value. Debug builds check that the value is not accessed while it changes.
private struct Cell<Value> {
  #if DEBUG
    private let isChanging: UnsafeMutablePointer<Bool>
  #endif
  private let place: UnsafeMutablePointer<Value>

  init(_ first: Value) {
    place = .allocate(capacity: 1)
    place.initialize(to: first)
    #if DEBUG
      isChanging = .allocate(capacity: 1)
      isChanging.initialize(to: false)
    #endif
  }

  func free() {
    place.deinitialize(count: 1)
    place.deallocate()
    #if DEBUG
      isChanging.deallocate()
    #endif
  }

  var value: Value {
    @inline(__always) _read {
      #if DEBUG
        assert(!isChanging.pointee, "read while it changes")
      #endif
      yield place.pointee
    }
    @inline(__always) nonmutating _modify {
      #if DEBUG
        assert(!isChanging.pointee, "accessed while it changes")
        isChanging.pointee = true
        defer { isChanging.pointee = false }
      #endif
      yield &place.pointee
    }
  }
}
