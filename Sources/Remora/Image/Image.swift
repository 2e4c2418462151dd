// SPDX-License-Identifier: Apache-2.0
//
// A checked image: magic number, format, byte order, length, checksum, tables inside. Opening an image costs a checksum
// and no parsing.

/// A base or overlay image, ready for reading.
package final class Image: Sendable {
  /// The memory; never written after creation.
  package let buffer: ImageBuffer
  package let metadata: ImageMetadata
  /// The checksum in its header, which identifies the image that an ETag belongs to.
  package let checksum: UInt64
  private let tables: ImageTables

  /// Checks the memory of an image and takes ownership of it.
  ///
  /// - Throws: `.corrupt` with the check that failed.
  package init(_ buffer: ImageBuffer, trustingChecksum: Bool = false) throws(RemoraError) {
    let bytes = buffer.bytes
    guard bytes.count >= ImageFormat.headerSize, let base = bytes.baseAddress else {
      throw Self.corrupt("is truncated")
    }
    guard base.load(as: UInt64.self) == ImageFormat.magic else { throw Self.corrupt("has a wrong magic number") }
    guard base.load(fromByteOffset: ImageFormat.byteOrderAt, as: UInt32.self) == ImageFormat.byteOrder else {
      throw Self.corrupt("was written with another byte order")
    }
    let format = base.load(fromByteOffset: ImageFormat.formatAt, as: UInt32.self)
    guard format == ImageFormat.format else { throw Self.corrupt("has the unknown format \(format)") }
    guard base.load(fromByteOffset: ImageFormat.lengthAt, as: UInt64.self) == UInt64(bytes.count) else {
      throw Self.corrupt("does not have the length that its header states")
    }
    checksum = base.load(fromByteOffset: ImageFormat.checksumAt, as: UInt64.self)
    if !trustingChecksum {
      let checked = UnsafeRawBufferPointer(rebasing: bytes[ImageFormat.checkedFrom...])
      guard checksum64(checked) == checksum else { throw Self.corrupt("has a wrong checksum") }
    }
    let header = ImageHeader(base: base, length: bytes.count)
    guard let tables = header.tables, let metadata = header.metadata else {
      throw Self.corrupt("has a table beyond its end")
    }
    self.tables = tables
    self.metadata = metadata
    self.buffer = buffer
  }

  package var count: Int { tables.count }

  /// Creates an image over the same memory with other metadata, such as a verification after the image was written.
  package init(_ image: Image, metadata: ImageMetadata) {
    buffer = image.buffer
    checksum = image.checksum
    tables = image.tables
    self.metadata = metadata
  }

  /// Creates the index of this image, with `base` as the image below it if this is an overlay.
  package func reader(over base: Image?) -> SnapshotReader {
    let start = buffer.region.pointee.base
    return SnapshotReader(
      first: UnsafePointer(buffer.region), second: UnsafePointer((base ?? self).buffer.region),
      slots: start + tables.slots, order: start + tables.order, slotCount: tables.slotCount,
      referenceMask: tables.referenceMask, seed: tables.seed, count: tables.count)
  }

  private static func corrupt(_ problem: String) -> RemoraError {
    RemoraError(.corrupt, "the stored file \(problem)")
  }
}
