// SPDX-License-Identifier: Apache-2.0
//
// Which of the stored images of a source an opening uses.

import Testing

@testable import Remora

@Suite("Files of a source that are read at its opening")
struct StoredStateTests {
  private let temporary: TemporaryDirectory
  private let directory: StorageDirectory
  private let name = StorageName(hashing: "test")

  init() throws {
    temporary = try TemporaryDirectory()
    directory = try StorageDirectory.open(path: temporary.path)
  }

  private func store(_ version: Int64, generation: UInt64, as slot: ImageSlot) throws {
    let lock = try #require(try directory.tryLock(name))
    defer { lock.unlock() }
    let image = try makeImage("{}", version: version, generation: generation)
    _ = try lock.commitImage(RawImage(image.buffer), to: slot)
  }

  /// A process that was killed before it wrote the ledger has used a generation that another process uses again.
  @Test(
    "of two stored files with the same generation number, the one with the higher version is used",
    arguments: [1, 2, 3] as [Int64])
  func sameGeneration(staged version: Int64) throws {
    try store(2, generation: 5, as: .live)
    try store(version, generation: 5, as: .staged)
    let state = StoredState(of: "test", name, in: directory)
    #expect(state.image?.metadata.version == 2)
    #expect(state.staged?.metadata.version == (version > 2 ? version : nil))
  }

  @Test("fetched data that waits for activation is ignored if the current data was stored later")
  func earlierGeneration() throws {
    try store(2, generation: 5, as: .live)
    try store(3, generation: 4, as: .staged)
    #expect(StoredState(of: "test", name, in: directory).newest?.metadata.version == 2)
  }
}
