// SPDX-License-Identifier: Apache-2.0
//
// The memory of an image, and how it is freed: free for allocated memory, munmap for pages, or with the buffer that it
// is a part of. Invariant: the bytes do not change once any code but the writer can see them.

internal import Glibc

/// Owns the memory of an image: allocated, anonymous pages, or a mapped file. Freed with the last reference.
///
/// `@unchecked Sendable`: the memory is written before other code sees it, and never afterwards.
package final class ImageBuffer: @unchecked Sendable {
  /// The origin of the memory, which decides how it is freed.
  package enum Ownership {
    case allocated, anonymous, mapped
    /// Memory of another buffer, which is kept alive.
    case part(of: ImageBuffer)
  }

  /// The location of the bytes; stable for the life of this object.
  package let region: UnsafeMutablePointer<Region>
  private let ownership: Ownership
  /// The file from which all bytes were loaded; nil for other bytes.
  let file: FileVersion?

  /// Takes ownership of `length` bytes at `base`: from `malloc` if allocated, else from `mmap`.
  package init(
    adopting base: UnsafeMutableRawPointer, length: Int, ownership: Ownership, of file: FileVersion? = nil
  ) {
    region = .allocate(capacity: 1)
    region.initialize(to: Region(base: UnsafeRawPointer(base), length: length))
    self.ownership = ownership
    self.file = file
  }

  /// Copies bytes to memory of its own.
  package convenience init(copying bytes: UnsafeRawBufferPointer) throws(RemoraError) {
    guard let memory = malloc(max(bytes.count, 1)) else {
      throw .outOfMemory(for: "\(bytes.count) bytes of settings")
    }
    if let source = bytes.baseAddress { memory.copyMemory(from: source, byteCount: bytes.count) }
    self.init(adopting: memory, length: bytes.count, ownership: .allocated)
  }

  /// Returns the first `length` bytes of this buffer, without copying them; nil if it has fewer.
  package func prefix(_ length: Int) -> ImageBuffer? {
    guard length >= 0, length <= region.pointee.length else { return nil }
    return ImageBuffer(
      adopting: UnsafeMutableRawPointer(mutating: region.pointee.base), length: length, ownership: .part(of: self))
  }

  /// All bytes, for writing and hashing; valid while this object lives.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: region.pointee.base, count: region.pointee.length)
  }

  /// Drops pages of a mapped file from the memory of the process; they are loaded again when they are read.
  package func discardPages(in range: Range<Int>) {
    guard case .mapped = ownership else { return }
    let start = range.lowerBound / pageSize * pageSize
    let memory = UnsafeMutableRawPointer(mutating: region.pointee.base) + start
    _ = madvise(memory, range.upperBound - start, MADV_DONTNEED)
  }

  deinit {
    let memory = UnsafeMutableRawPointer(mutating: region.pointee.base)
    switch ownership {
    case .allocated: free(memory)
    case .anonymous, .mapped: unmapPages(memory, region.pointee.length)
    case .part: break
    }
    region.deallocate()
  }
}
