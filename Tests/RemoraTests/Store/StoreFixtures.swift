// SPDX-License-Identifier: Apache-2.0
//
// Names, images and shortcuts that the suites of the store share.

import Testing

@testable import Remora

let source = StorageName(hashing: "a source")
let otherSource = StorageName(hashing: "another source")
let server = StorageName(hashing: "a server")

/// A suite whose tests each have a storage directory of their own.
class StoreSuite {
  let temporary: TemporaryDirectory
  let directory: StorageDirectory

  init() throws {
    temporary = try TemporaryDirectory()
    directory = try StorageDirectory.open(path: temporary.path)
  }
}

/// The bytes of a pretended image, short in messages.
struct ImageBytes: Equatable, CustomTestStringConvertible {
  let bytes: [UInt8]

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  var testDescription: String {
    guard let first = bytes.first else { return "empty" }
    return bytes.allSatisfy { $0 == first } ? "\(bytes.count) times \(first)" : "a mixture of \(bytes.count)"
  }
}

/// A pretended image whose bytes are all alike, so that a mixture shows.
func image(_ byte: UInt8, count: Int = 3000) -> ImageBytes { ImageBytes(repeatElement(byte, count: count)) }

/// The file name of an image.
func fileName(_ slot: ImageSlot, of name: StorageName = source) -> String { StoredFile.image(name, slot).fileName }

extension StorageDirectory {
  /// The bytes in a slot.
  func bytes(_ slot: ImageSlot, of name: StorageName = source) throws -> ImageBytes? {
    try readImage(name, slot).map { ImageBytes($0.bytes) }
  }

  /// The ledger of a source; the default when there is none that can be read.
  func readLedger(_ name: StorageName) -> SourceLedger { (try? findLedger(name)) ?? SourceLedger() }

  /// The lock of a source that nobody else holds.
  func locked(_ name: StorageName = source) throws -> SourceLock {
    guard let lock = try tryLock(name) else { throw RemoraError(.internal, "the lock is busy") }
    return lock
  }
}

/// Bytes that the store takes for an image: it does not look at what it stores.
struct RawImage: StorableImage {
  let buffer: ImageBuffer

  init(_ buffer: ImageBuffer) { self.buffer = buffer }

  init(_ bytes: [UInt8]) throws {
    buffer = try bytes.withUnsafeBytes { (bytes) throws(RemoraError) in try ImageBuffer(copying: bytes) }
  }
}

extension SourceLock {
  /// Commits bytes and answers what the library reads back.
  @discardableResult
  func commit(_ image: ImageBytes, to slot: ImageSlot = .live) throws -> ImageBytes {
    let buffer = try commitImage(RawImage(image.bytes), to: slot)
    return withExtendedLifetime(buffer) { ImageBytes(buffer.bytes) }
  }
}

/// The code of the error that `body` throws; nil when it throws none.
func code(of body: () throws -> Void) -> RemoraError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? RemoraError)?.code
  }
}
