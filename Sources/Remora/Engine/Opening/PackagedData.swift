// SPDX-License-Identifier: Apache-2.0
//
// The packaged data of a host, and its compilation to an image. The host is trusted, so nothing is verified here.

package enum PackagedData: Sendable {
  case file(String)
  case bytes([UInt8])
  case borrowed(BorrowedBytes)

  /// The maximum size, which is that of a response body.
  package static let maximumBytes = TransportOptions.largestBodyBytes

  /// The size from which on the image is stored: compiling less takes at most some milliseconds.
  package static let leastStoredBytes = 64 << 10

  /// Takes a file or bytes in the host's memory; nil if the host has set neither. The bytes must not be used after the
  /// opening.
  ///
  /// - Throws: `.invalidArgument` if both are set, or the size does not fit.
  package init?(file: String?, borrowing start: UnsafeRawPointer?, size: UInt) throws(RemoraError) {
    switch (file, start) {
    case (.some, .some):
      throw .invalidArgument("packaged_data", "must not be set together with a file of packaged data")
    case (let path?, nil): self = .file(path)
    case (nil, let start?):
      guard let count = Int(exactly: size), count > 0 else {
        throw .invalidArgument("packaged_data", "has a size of \(size)")
      }
      self = .borrowed(BorrowedBytes(UnsafeRawBufferPointer(start: start, count: count)))
    case (nil, nil):
      guard size == 0 else { throw .invalidArgument("packaged_size", "must be 0 without packaged data") }
      return nil
    }
  }

  /// Reads the bytes; `name` identifies them in messages.
  ///
  /// - Throws: `.storage`, `.tooLarge`.
  func read() throws(RemoraError) -> ([UInt8], name: String) {
    switch self {
    case .file(let path): return (try readFile(path, limit: Self.maximumBytes), path)
    case .bytes(let given):
      try Self.require(given.count)
      return (given, "packaged_data")
    case .borrowed(let given):
      try Self.require(given.bytes.count)
      return (Array(given.bytes), "packaged_data")
    }
  }

  private static func require(_ count: Int) throws(RemoraError) {
    guard count > maximumBytes else { return }
    throw RemoraError(.tooLarge, "packaged_data has more than \(maximumBytes) bytes")
  }

  /// Identifies what an image of this data depends on besides its source: the bytes, and the version of the library.
  /// Nil if there are less than `leastStoredBytes`, or they cannot be read.
  var digest: String? {
    var hash = BlockHash(context: "\(LibraryVersion.text)\n")
    switch self {
    case .bytes(let given):
      guard given.count >= Self.leastStoredBytes else { return nil }
      given.withUnsafeBytes { hash.add(blocksOf: $0) }
    case .borrowed(let given):
      guard given.bytes.count >= Self.leastStoredBytes else { return nil }
      hash.add(blocksOf: given.bytes)
    case .file(let path):
      do throws(RemoraError) {
        let file = try RegularFile(path)
        guard file.size >= Self.leastStoredBytes else { return nil }
        try file.forEachBlock(of: BlockHash.blockSize, limit: Self.maximumBytes) { hash.add($0) }
      } catch {
        return nil
      }
    }
    return hash.hex
  }
}

/// Bytes of a host, which are copied only if they are decoded.
///
/// `@unchecked Sendable`: the bytes stay valid and unchanged until the opening returns, and nothing keeps them longer.
package struct BorrowedBytes: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }
}

/// The rules of a kind of source that can have packaged data.
package protocol PackagedDialect: Dialect {
  /// Compiles packaged data without verifying it; `source` is its name in messages.
  ///
  /// - Throws: `.parse`, `.format` or `.tooLarge`.
  func compile(
    _ bytes: [UInt8], named source: String, hashSeed: HashSeed
  ) throws(RemoraError) -> PackagedImage
}

extension PackagedDialect {
  /// Reads and compiles packaged data without verifying it.
  ///
  /// - Throws: `.storage`, `.parse`, `.format` or `.tooLarge`.
  package func compile(_ data: PackagedData, hashSeed: HashSeed) throws(RemoraError) -> PackagedImage {
    let (bytes, name) = try data.read()
    return try compile(bytes, named: name, hashSeed: hashSeed)
  }

  /// Writes the image of a decoded document.
  func image(_ document: Document, version: Int64, hashSeed: HashSeed) throws(RemoraError) -> Image {
    let metadata = ImageMetadata(
      identity: identity, version: version, fetchedAtMs: 0, mayHaveFilters: document.hasFilters)
    // The document owns the memory of the entries.
    defer { withExtendedLifetime(document) {} }
    return try writeImage(
      metadata, entries: Draft(full: document).entries.lazy.map(ImageEntry.own), hashSeed: hashSeed)
  }
}

extension CollectionDialect: PackagedDialect {
  package func compile(
    _ bytes: [UInt8], named source: String, hashSeed: HashSeed
  ) throws(RemoraError) -> PackagedImage {
    try compile(bytes, named: source, hashSeed: hashSeed, isOfAny: false)
  }

  /// Compiles packaged data in memory. Its signatures are kept for a later verification, unless the policy requires
  /// none.
  ///
  /// - Parameter isOfAny: Whether the metadata may name another collection.
  package func compile(
    _ bytes: [UInt8], named source: String, hashSeed: HashSeed, isOfAny: Bool
  ) throws(RemoraError) -> PackagedImage {
    let document = try bytes.withBytes { bytes throws(RemoraError) in
      try decodePackaged(bytes, named: source, of: isOfAny ? nil : name)
    }
    return PackagedImage(
      image: try image(document, version: document.version, hashSeed: hashSeed),
      signatures: policy == .off ? [] : document.signatures)
  }
}

extension SettingsDialect: PackagedDialect {
  /// Compiles a document in the format of the server's response. Any fetched data takes precedence over it.
  package func compile(
    _ bytes: [UInt8], named source: String, hashSeed: HashSeed
  ) throws(RemoraError) -> PackagedImage {
    let document = try bytes.withBytes { bytes throws(RemoraError) in try decodeSeed(bytes, named: source) }
    return PackagedImage(image: try image(document, version: 0, hashSeed: hashSeed))
  }
}
