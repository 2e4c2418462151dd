// SPDX-License-Identifier: Apache-2.0
//
// One source at one version: a base image, an overlay if this process changes values, and the origin of the data.
// Immutable; everything read from it stays valid as long as it exists.

/// The origin of values in a snapshot; raw values are those of the C header.
package enum Origin: Int32, Sendable {
  case none = 0
  case defaults = 1
  case packaged = 2
  case cached = 3
  case fetched = 4
  /// Of a key only: the host overrides something in its value.
  case override = 5
}

/// An immutable view of a source.
///
/// `@unchecked Sendable`: all state is constant, and `reader` points to memory that is written once, in `init`.
package final class Snapshot: @unchecked Sendable {
  /// The image compiled from the server's or the package's bytes.
  package let base: Image
  /// The index of effective keys with this process's own values; nil if this process changes nothing.
  package let overlay: Image?
  /// The origin of the base; an entry of the overlay may state another one.
  package let origin: Origin
  /// The number of records that are hidden because evaluating their filter failed.
  package let filterFailures: Int
  /// The index for reads, in memory of its own so that it can be read without touching this object.
  package let reader: UnsafePointer<SnapshotReader>

  package init(base: Image, overlay: Image? = nil, origin: Origin, filterFailures: Int = 0) {
    self.base = base
    self.overlay = overlay
    self.origin = origin
    self.filterFailures = filterFailures
    let memory = UnsafeMutablePointer<SnapshotReader>.allocate(capacity: 1)
    memory.initialize(to: overlay.map { $0.reader(over: base) } ?? base.reader(over: nil))
    reader = UnsafePointer(memory)
  }

  deinit { reader.deallocate() }

  /// The data as received, without this process's changes.
  package var unfiltered: Snapshot { overlay == nil ? self : Snapshot(base: base, origin: origin) }

  /// The same data after the server confirmed it; nil unless the origin is the cache.
  package var confirmed: Snapshot? {
    guard origin == .cached else { return nil }
    return Snapshot(base: base, overlay: overlay, origin: .fetched, filterFailures: filterFailures)
  }

  package var count: Int { reader.pointee.count }

  /// Returns the entry of a key whose value is this process's own; nil for any other key.
  package func ownEntry(_ key: UnsafeRawBufferPointer) -> Entry? {
    guard let overlay, let entry = reader.pointee.entry(key) else { return nil }
    return entry.region == UnsafePointer(overlay.buffer.region) ? entry : nil
  }

  /// Returns the origin of the value of a key; nil if the key does not exist.
  package func origin(of key: UnsafeRawBufferPointer) -> Origin? {
    if let own = ownEntry(key), own.origin != 0 { return Origin(rawValue: own.origin) ?? origin }
    return reader.pointee.entry(key) == nil ? nil : origin
  }

  /// Appends the whole snapshot as one canonical JSON object.
  ///
  /// - Throws: `.corrupt` if the stored file is damaged.
  package func appendCanonical(to buffer: inout ByteBuffer) throws(RemoraError) {
    try buffer.append(UInt8(ascii: "{"))
    for index in 0..<count {
      guard let entry = reader.pointee.entry(at: index) else { throw .damagedFile }
      if index > 0 { try buffer.append(UInt8(ascii: ",")) }
      try buffer.appendCanonical(string: entry.key)
      try buffer.append(UInt8(ascii: ":"))
      try buffer.appendCanonical(entry.value)
    }
    try buffer.append(UInt8(ascii: "}"))
  }
}
