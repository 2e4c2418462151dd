// SPDX-License-Identifier: Apache-2.0
//
// The memory of one image, and the only arithmetic that turns a stored offset into an address.
// Invariant: every pointer that `resolve` gives is inside the region and aligned to 8.

internal import Glibc

/// A block of memory that holds an image. Lives in raw memory, so that a `Value` can point at it.
package struct Region {
  /// The first byte; aligned to 8.
  package let base: UnsafeRawPointer
  /// Bytes that may be read.
  package let length: Int

  /// The address `offset` bytes behind `origin`, if `count` bytes from there are inside.
  ///
  /// A checksum is no authentication: an image may say anything, so nothing is read without this.
  @inline(__always)
  package func resolve(from origin: UnsafeRawPointer, offset: UInt32, count: Int) -> UnsafeRawPointer? {
    resolve(at: origin - base &+ Int(offset), count: count)
  }

  /// The address at `position` from the base, if `count` bytes from there are inside.
  @inline(__always)
  package func resolve(at position: Int, count: Int) -> UnsafeRawPointer? {
    guard position >= 0, count >= 0, position <= length, count <= length &- position else { return nil }
    return base + position
  }
}

/// Owns the memory of an image: allocated, or a mapped file. Freed with its last owner.
///
/// `@unchecked Sendable`: the memory is written before anybody else sees it, and never after.
package final class ImageBuffer: @unchecked Sendable {
  /// How the memory goes back.
  package enum Ownership { case allocated, mapped }

  /// Where the bytes are; stable for the life of this object.
  package let region: UnsafeMutablePointer<Region>
  private let ownership: Ownership

  /// Takes over `length` bytes at `base`: from `malloc` when allocated, from `mmap` when mapped.
  package init(adopting base: UnsafeMutableRawPointer, length: Int, ownership: Ownership) {
    region = .allocate(capacity: 1)
    region.initialize(to: Region(base: UnsafeRawPointer(base), length: length))
    self.ownership = ownership
  }

  /// Copies bytes into memory of its own.
  package convenience init(copying bytes: UnsafeRawBufferPointer) throws(RemoraError) {
    guard let memory = malloc(max(bytes.count, 1)) else {
      throw RemoraError(.tooLarge, "no memory for an image of \(bytes.count) bytes")
    }
    if let source = bytes.baseAddress { memory.copyMemory(from: source, byteCount: bytes.count) }
    self.init(adopting: memory, length: bytes.count, ownership: .allocated)
  }

  /// All bytes, for writing and hashing; valid while this object lives.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: region.pointee.base, count: region.pointee.length)
  }

  deinit {
    let memory = UnsafeMutableRawPointer(mutating: region.pointee.base)
    switch ownership {
    case .allocated: free(memory)
    case .mapped: munmap(memory, region.pointee.length)
    }
    region.deallocate()
  }
}
