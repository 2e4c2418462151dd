// SPDX-License-Identifier: Apache-2.0
//
// Writes an image from entries in the order of their keys. A pure function: the same entries, metadata and hash seed
// produce the same bytes.

/// The source of an entry in a new image.
package enum ImageEntry {
  /// An entry to copy into the image.
  case own(Entry)
  /// An entry of the base below an overlay, which is referred to.
  case base(Entry)

  var entry: Entry {
    switch self {
    case .own(let entry), .base(let entry): entry
    }
  }
}

extension Image {
  /// Returns a copy with a new epoch and generation. The copy keeps its verified state, so it need not be verified
  /// again.
  func restamped(epoch: UInt64, generation: UInt64, hashSeed: HashSeed) throws(RemoraError) -> Image {
    var metadata = metadata
    (metadata.epoch, metadata.generation) = (epoch, generation)
    let reader = reader(over: nil)
    let entries = (0..<reader.count).compactMap { reader.entry(at: $0) }
    defer { withExtendedLifetime(self) {} }
    return try writeImage(metadata, entries: entries.lazy.map(ImageEntry.own), hashSeed: hashSeed)
  }
}

/// Compiles entries, sorted by key and without duplicates, into an image.
///
/// - Parameter hashSeed: The secret that seeds the hash table of the image.
/// - Throws: `.tooLarge` if an offset exceeds 31 bits; `.corrupt` if an entry to copy is damaged; `.format` if the keys
///   collide under every seed that is tried.
package func writeImage(
  _ metadata: ImageMetadata, entries: some Collection<ImageEntry>, hashSeed: HashSeed
) throws(RemoraError) -> Image {
  var buffer = ByteBuffer()
  let count = entries.count
  let identity = Array(metadata.identity.utf8)
  let signature = Array(metadata.signature.utf8)
  let slotCount = SlotTable.slotCount(for: count)
  try buffer.reserve(
    ImageFormat.headerSize &+ identity.count &+ signature.count &+ 16 &+ count &* 4 &+ 8
      &+ slotCount &* ImageFormat.slotSize &+ ownBytes(of: entries))
  try buffer.appendZeros(ImageFormat.headerSize)
  try append(identity, to: &buffer, place: ImageFormat.identityAt)
  try append(signature, to: &buffer, place: ImageFormat.signatureAt)
  try buffer.align()

  let orderAt = buffer.count
  try buffer.appendZeros(count &* 4)
  try buffer.align()
  let slotsAt = buffer.count
  try buffer.appendZeros(slotCount &* ImageFormat.slotSize)

  var references: [UInt32] = []
  references.reserveCapacity(count)
  for item in entries { references.append(try place(item, in: &buffer)) }
  let table = try SlotTable(entries.lazy.map(\.entry.key), references, hashSeed)
  references.withUnsafeBytes { buffer.patch($0, at: orderAt) }
  table.slots.withUnsafeBytes { buffer.patch($0, at: slotsAt) }

  patchHeader(of: &buffer, metadata)
  buffer.patch(table.seed, at: ImageFormat.seedAt)
  buffer.patch(UInt32(truncatingIfNeeded: count), at: ImageFormat.countAt)
  buffer.patch(UInt32(truncatingIfNeeded: slotCount &- 1), at: ImageFormat.maskAt)
  buffer.patch(UInt32(truncatingIfNeeded: orderAt), at: ImageFormat.orderAt)
  buffer.patch(UInt32(truncatingIfNeeded: slotsAt), at: ImageFormat.slotsAt)
  // Last, because the checksum covers everything after it.
  let checksum = hash64(UnsafeRawBufferPointer(rebasing: buffer.bytes[ImageFormat.checkedFrom...]))
  buffer.patch(checksum, at: ImageFormat.checksumAt)
  return try Image(buffer.intoImageBuffer(), trustingChecksum: true)
}

/// Writes the header fields that describe the whole image.
private func patchHeader(of buffer: inout ByteBuffer, _ metadata: ImageMetadata) {
  buffer.patch(ImageFormat.magic, at: 0)
  buffer.patch(ImageFormat.format, at: ImageFormat.formatAt)
  buffer.patch(ImageFormat.byteOrder, at: ImageFormat.byteOrderAt)
  buffer.patch(UInt64(buffer.count), at: ImageFormat.lengthAt)
  buffer.patch(metadata.version, at: ImageFormat.versionAt)
  buffer.patch(metadata.fetchedAtMs, at: ImageFormat.fetchedAt)
  buffer.patch(metadata.epoch, at: ImageFormat.epochAt)
  buffer.patch(metadata.generation, at: ImageFormat.generationAt)
  let verified = metadata.isVerified ? ImageFormat.verifiedFlag : 0
  let unfiltered = metadata.mayHaveFilters ? 0 : ImageFormat.unfilteredFlag
  buffer.patch(verified | unfiltered, at: ImageFormat.flagsAt)
}

/// Returns the size of the entries to copy. A damaged entry counts as 0 and causes an error when it is copied.
private func ownBytes(of entries: some Collection<ImageEntry>) -> Int {
  entries.reduce(0) { total, item in
    guard case .own(let entry) = item else { return total }
    return total &+ (entry.bytes?.count ?? 0)
  }
}

/// Appends a text with its NUL, and writes its offset and length to the header.
private func append(_ text: [UInt8], to buffer: inout ByteBuffer, place: Int) throws(RemoraError) {
  buffer.patch(UInt32(truncatingIfNeeded: buffer.count), at: place)
  buffer.patch(UInt32(truncatingIfNeeded: text.count), at: place &+ 4)
  for byte in text { try buffer.append(byte) }
  try buffer.append(0)
}

/// Copies an entry, or refers to it in the base.
private func place(_ item: ImageEntry, in buffer: inout ByteBuffer) throws(RemoraError) -> UInt32 {
  switch item {
  case .own(let entry):
    guard let bytes = entry.bytes else { throw RemoraError(.corrupt, "an entry is beyond the end of its image") }
    let reference = UInt32(truncatingIfNeeded: buffer.count)
    try buffer.append(bytes)
    return reference
  case .base(let entry):
    let offset = entry.start - entry.region.pointee.base
    return UInt32(truncatingIfNeeded: offset) | ImageFormat.secondRegion
  }
}
