// SPDX-License-Identifier: Apache-2.0
//
// A growing byte buffer for encoders.
// Invariant: never larger than its limit; a failed allocation is an error, not a trap. Large memory is mapped: it grows
// without a copy, and reserved bytes need no memory until they are written.

internal import CSupport
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
  /// Owns the memory after `pin`.
  private var pinned: PinnedPages?

  package init(limit: Int = Int(Int32.max)) { self.limit = limit }

  deinit {
    guard pinned == nil else { return }
    if isMapped, let memory { unmapPages(memory, capacity) } else { free(memory) }
  }

  /// The capacity from which memory is mapped instead of allocated, in bytes.
  private static var leastMapped: Int { 512 << 10 }

  private var isMapped: Bool { capacity >= Self.leastMapped }

  /// The written bytes; valid until the next append.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  /// Removes the content and keeps the memory.
  package mutating func removeAll() { count = 0 }

  /// Removes the bytes after a position.
  package mutating func truncate(to position: Int) { count = min(count, max(0, position)) }

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

  /// Reserves memory for `total` bytes, which is not moved any more and which `shared` may share. The buffer cannot
  /// grow beyond it.
  mutating func pin(_ total: Int) throws(RemoraError) {
    guard pinned == nil else { return }
    try reserve(max(total, Self.leastMapped))
    guard let memory else { throw Self.exhausted(total) }
    pinned = PinnedPages(memory, capacity)
  }

  /// Whether the memory is not moved any more.
  var isPinned: Bool { pinned != nil }

  /// Returns a buffer of the bytes so far, in the same memory; nil unless the memory is pinned.
  func shared() -> ByteBuffer? {
    guard let pinned else { return nil }
    var copy = ByteBuffer(limit: limit)
    (copy.memory, copy.capacity, copy.count, copy.pinned) = (memory, capacity, count, pinned)
    return copy
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

  /// Returns whole pages at the beginning to the system; they then contain zeros. Allocated memory stays as it is.
  ///
  /// - Parameter range: The bytes that are not needed any more. The bytes before it are not needed either.
  func discard(_ range: Range<Int>) {
    guard isMapped, let memory else { return }
    let start = range.lowerBound / pageSize * pageSize
    let end = min(range.upperBound, count) / pageSize * pageSize
    if start < end { madvise(memory + start, end &- start, MADV_DONTNEED) }
  }

  /// Transfers ownership of the memory to an image buffer.
  package consuming func intoImageBuffer() throws(RemoraError) -> ImageBuffer {
    guard let memory else { throw Self.exhausted(0) }
    let (length, isMapped) = (count, isMapped)
    if isMapped, wholePages(length) < capacity {
      unmapPages(memory + wholePages(length), capacity &- wholePages(length))
    }
    self.memory = nil
    capacity = 0
    return ImageBuffer(adopting: memory, length: length, ownership: isMapped ? .anonymous : .allocated)
  }

  private mutating func grow(to needed: Int) throws(RemoraError) {
    guard needed <= limit, pinned == nil else {
      throw RemoraError(.tooLarge, "the document exceeds the limit of \(limit) bytes in memory")
    }
    let wanted = min(limit, max(needed, capacity &* 2, 256))
    if wanted < Self.leastMapped {
      guard let grown = realloc(memory, wanted) else { throw Self.exhausted(wanted) }
      (memory, capacity) = (grown, wanted)
    } else {
      try map(wanted)
    }
  }

  /// Moves the content to a mapping of `wanted` bytes; the system rounds this up to whole pages.
  private mutating func map(_ wanted: Int) throws(RemoraError) {
    if isMapped {
      guard let grown = remora_grow_pages(memory, capacity, wanted) else { throw Self.exhausted(wanted) }
      (memory, capacity) = (grown, wanted)
      return
    }
    guard let mapped = remora_map_pages(wanted) else { throw Self.exhausted(wanted) }
    if let memory { mapped.copyMemory(from: memory, byteCount: count) }
    free(memory)
    (memory, capacity) = (mapped, wanted)
  }

  private static func exhausted(_ size: Int) -> RemoraError {
    .outOfMemory(for: "\(size) bytes")
  }
}

/// Memory that several buffers share. The last one releases it.
///
/// `@unchecked Sendable`: constant. The buffers ensure that no byte is written after it was shared.
private final class PinnedPages: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer
  private let size: Int

  init(_ memory: UnsafeMutableRawPointer, _ size: Int) { (self.memory, self.size) = (memory, size) }

  deinit { unmapPages(memory, size) }
}

/// The size of a page of memory, in bytes.
var pageSize: Int { Int(getpagesize()) }

/// Returns a size, rounded up to a multiple of the size of a page.
private func wholePages(_ size: Int) -> Int { (size &+ pageSize &- 1) / pageSize * pageSize }

/// Returns mapped memory to the system, in whole pages. (The system would round up too, but ThreadSanitizer would keep
/// the accesses to the rest of the last page for its next owner.)
func unmapPages(_ memory: UnsafeMutableRawPointer, _ size: Int) { munmap(memory, wholePages(size)) }
