// SPDX-License-Identifier: Apache-2.0
//
// A growing byte buffer for encoders.
// Invariant: never larger than its limit; a failed allocation is an error, not a trap.

internal import Glibc

/// A byte buffer that is appended to and patched, then handed over or freed.
package struct ByteBuffer: ~Copyable {
  /// The bytes; nil until memory is reserved.
  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0
  /// The number of bytes written.
  package private(set) var count = 0
  /// The maximum size: offsets in an image have 31 bits.
  private let limit: Int

  package init(limit: Int = Int(Int32.max)) { self.limit = limit }

  deinit { free(memory) }

  /// The written bytes; valid until the next append.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  /// Removes the content and keeps the memory.
  package mutating func removeAll() { count = 0 }

  /// Reserves `extra` bytes, which count as written, and returns their address.
  @inline(__always)
  package mutating func extend(by extra: Int) throws(RemoraError) -> UnsafeMutableRawPointer {
    let needed = count &+ extra
    if needed > capacity || memory == nil { try grow(to: needed) }
    guard let memory else { throw Self.exhausted(needed) }
    let place = memory + count
    count = needed
    return place
  }

  /// Appends one byte.
  @inline(__always)
  package mutating func append(_ byte: UInt8) throws(RemoraError) {
    try extend(by: 1).storeBytes(of: byte, as: UInt8.self)
  }

  /// Appends bytes.
  @inline(__always)
  package mutating func append(_ source: UnsafeRawBufferPointer) throws(RemoraError) {
    guard let start = source.baseAddress, source.count > 0 else { return }
    try extend(by: source.count).copyMemory(from: start, byteCount: source.count)
  }

  /// Appends bytes and a NUL.
  @inline(__always)
  package mutating func appendTerminated(_ source: UnsafeRawBufferPointer) throws(RemoraError) {
    let place = try extend(by: source.count &+ 1)
    if let start = source.baseAddress { place.copyMemory(from: start, byteCount: source.count) }
    place.storeBytes(of: 0, toByteOffset: source.count, as: UInt8.self)
  }

  /// Reserves `total` bytes at once.
  package mutating func reserve(_ total: Int) throws(RemoraError) {
    if total > capacity { try grow(to: total) }
  }

  /// Appends the UTF-8 of a constant.
  package mutating func append(_ text: StaticString) throws(RemoraError) {
    try append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends zeros.
  package mutating func appendZeros(_ number: Int) throws(RemoraError) {
    memset(try extend(by: number), 0, number)
  }

  /// Appends zeros up to the next multiple of 8.
  @inline(__always)
  package mutating func align() throws(RemoraError) {
    let missing = (8 &- count & 7) & 7
    guard missing > 0 else { return }
    let place = try extend(by: missing)
    for offset in 0..<missing { place.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
  }

  /// Overwrites bytes that were written; positions outside are ignored.
  @inline(__always)
  package mutating func patch<T: BitwiseCopyable>(_ value: T, at position: Int) {
    guard let memory, position >= 0, position &+ MemoryLayout<T>.size <= count else { return }
    (memory + position).storeBytes(of: value, as: T.self)
  }

  /// Overwrites a range of bytes that was written; a range that leads outside is ignored.
  package mutating func patch(_ source: UnsafeRawBufferPointer, at position: Int) {
    guard let memory, let start = source.baseAddress, position >= 0, position &+ source.count <= count else { return }
    (memory + position).copyMemory(from: start, byteCount: source.count)
  }

  /// Transfers ownership of the memory to an image buffer.
  package consuming func intoImageBuffer() throws(RemoraError) -> ImageBuffer {
    guard let memory else { throw Self.exhausted(0) }
    let length = count
    self.memory = nil
    return ImageBuffer(adopting: memory, length: length, ownership: .allocated)
  }

  private mutating func grow(to needed: Int) throws(RemoraError) {
    guard needed <= limit else {
      throw RemoraError(.tooLarge, "the compiled document needs more than \(limit) bytes")
    }
    let wanted = min(limit, max(needed, capacity &* 2, 256))
    guard let grown = realloc(memory, wanted) else { throw Self.exhausted(wanted) }
    memory = grown
    capacity = wanted
  }

  private static func exhausted(_ size: Int) -> RemoraError {
    RemoraError(.unavailable, "no memory for \(size) bytes")
  }
}
