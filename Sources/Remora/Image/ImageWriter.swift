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
/// - Parameters:
///   - memory: The memory of the entries, if they come from a document. The image takes it if all entries are in it;
///     they must not be read afterwards.
///   - hashSeed: The secret that seeds the hash table of the image.
/// - Throws: `.tooLarge` if an offset exceeds 31 bits; `.corrupt` if an entry to copy is damaged; `.format` if the keys
///   collide under every seed that is tried.
package func writeImage(
  _ metadata: ImageMetadata, entries: some Collection<ImageEntry>, in memory: EntryMemory? = nil, hashSeed: HashSeed
) throws(RemoraError) -> Image {
  let ownBytes = ownBytes(of: entries)
  // The keys are read before the memory is taken, which may move it.
  if let memory, memory.isFilled(byEntriesOf: ownBytes) {
    let references = entries.map { ImageFormat.reference(toOffset: $0.entry.start - memory.region.pointee.base) }
    let table = try SlotTable(entries.lazy.map(\.entry.key), references, hashSeed)
    if let buffer = memory.take() { return try complete(buffer, metadata, references, table) }
  }
  var buffer = ByteBuffer()
  let tables = entries.count &* 4 &+ SlotTable.slotCount(for: entries.count) &* ImageFormat.slotSize
  try buffer.reserve(
    ImageFormat.headerSize &+ ownBytes &+ metadata.identity.utf8.count &+ metadata.signature.utf8.count &+ 32 &+ tables)
  try buffer.appendZeros(ImageFormat.headerSize)
  var references: [UInt32] = []
  references.reserveCapacity(entries.count)
  for item in entries { references.append(try place(item, in: &buffer)) }
  let table = try SlotTable(entries.lazy.map(\.entry.key), references, hashSeed)
  return try complete(buffer, metadata, references, table)
}

/// Appends texts and tables to the entries of an image, and writes its header.
private func complete(
  _ entries: consuming ByteBuffer, _ metadata: ImageMetadata, _ references: [UInt32], _ table: SlotTable
) throws(RemoraError) -> Image {
  var buffer = entries
  try append(Array(metadata.identity.utf8), to: &buffer, place: ImageFormat.identityAt)
  try append(Array(metadata.signature.utf8), to: &buffer, place: ImageFormat.signatureAt)
  try buffer.align()
  let orderAt = buffer.count
  try references.withBytes { bytes throws(RemoraError) in try buffer.append(bytes) }
  try buffer.align()
  let slotsAt = buffer.count
  try table.slots.withBytes { bytes throws(RemoraError) in try buffer.append(bytes) }
  try buffer.align()

  patchHeader(of: &buffer, metadata)
  buffer.patch(table.seed, at: ImageFormat.seedAt)
  buffer.patch(UInt32(truncatingIfNeeded: references.count), at: ImageFormat.countAt)
  buffer.patch(UInt32(truncatingIfNeeded: table.slots.count), at: ImageFormat.slotCountAt)
  buffer.patch(table.referenceMask, at: ImageFormat.referenceMaskAt)
  buffer.patch(UInt32(truncatingIfNeeded: orderAt), at: ImageFormat.orderAt)
  buffer.patch(UInt32(truncatingIfNeeded: slotsAt), at: ImageFormat.slotsAt)
  // Last, because the checksum covers everything after it.
  let checksum = checksum64(UnsafeRawBufferPointer(rebasing: buffer.bytes[ImageFormat.checkedFrom...]))
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
    guard let bytes = entry.bytes else { throw RemoraError(.corrupt, "a value is beyond the end of the stored file") }
    let reference = ImageFormat.reference(toOffset: buffer.count)
    try buffer.append(bytes)
    return reference
  case .base(let entry):
    return ImageFormat.reference(toOffset: entry.start - entry.region.pointee.base) | ImageFormat.secondRegion
  }
}
