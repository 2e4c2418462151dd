// SPDX-License-Identifier: Apache-2.0
//
// Images in their slots: stored, kept, staged, promoted, removed; and what is never read as one.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Image files (the binary form of a source's data on disk)")
final class ImageFileTests: StoreSuite {
  @Test(
    "a stored image is read back, even after the directory is opened again",
    arguments: [0, 1, 4096, 1_000_001])
  func roundTrip(count: Int) throws {
    #expect(try directory.readImage(source, .live) == nil)
    #expect(try directory.locked().commit(image(7, count: count)) == image(7, count: count))
    #expect(try directory.bytes(.live) == image(7, count: count))
    #expect(try StorageDirectory.open(path: temporary.path).bytes(.live) == image(7, count: count))
    #expect(temporary.names == [fileName(.live), "lock"].sorted())
  }

  @Test("when images are stored, the current one is kept, and the one before it that was current for ten minutes")
  func previousKept() throws {
    let lock = try directory.locked()
    for byte in UInt8(1)...3 { try lock.commit(image(byte)) }
    #expect(try directory.bytes(.live) == image(3))
    #expect(try directory.bytes(.previous) == image(1))
    temporary.ageLive()
    try lock.commit(image(4))
    #expect(try directory.bytes(.live) == image(4))
    #expect(try directory.bytes(.previous) == image(3))
    #expect(temporary.names.count == 3)
  }

  @Test("a staged image is current from its activation on, however old its file is", arguments: [1, 0])
  func activationTime(minutesTooShort: Int64) throws {
    let now = Box(TestTime.nowMs)
    var calls = SystemCalls.real
    calls.nowMs = { now.read { $0 } }
    let directory = try StorageDirectory.open(path: temporary.path, calls: calls)
    let lock = try directory.locked()
    try lock.commit(image(1))
    try lock.commit(image(2), to: .staged)
    now.update { $0 += 3_600_000 }
    try lock.promoteStaged()
    now.update { $0 += SourceLock.shortestLiveMs - minutesTooShort * 60_000 }
    try lock.commit(image(3))
    #expect(try directory.bytes(.previous) == image(minutesTooShort == 0 ? 2 : 1))
  }

  @Test("an image that is stored for a later activation becomes the current image only when it is activated")
  func staged() throws {
    let lock = try directory.locked()
    try lock.commit(image(1))
    try lock.commit(image(2), to: .staged)
    #expect(try directory.bytes(.live) == image(1))
    #expect(try directory.bytes(.previous) == nil)
    try lock.promoteStaged()
    #expect(try directory.bytes(.live) == image(2))
    #expect(try directory.bytes(.previous) == image(1))
    #expect(try directory.bytes(.staged) == nil)
    #expect(code { try lock.promoteStaged() } == .notFound)
    #expect(try directory.bytes(.live) == image(2))
  }

  @Test("a request to store an image as the previous image is refused with the error INTERNAL")
  func previousIsNoTarget() throws {
    #expect(code { try directory.locked().commit(image(1), to: .previous) } == .internal)
  }

  @Test("a reset of a source deletes all of its images, and no image of another source")
  func reset() throws {
    let lock = try directory.locked()
    let other = try directory.locked(otherSource)
    try other.commit(image(9))
    for byte in UInt8(1)...2 { try lock.commit(image(byte)) }
    try lock.commit(image(3), to: .staged)
    try lock.removeImages()
    try lock.removeImages()
    for slot in ImageSlot.allCases { #expect(try directory.bytes(slot) == nil) }
    #expect(try directory.bytes(.live, of: otherSource) == image(9))
  }

  @Test("after the current image was deleted, storing a new current image keeps the existing previous image")
  func removeOne() throws {
    let lock = try directory.locked()
    for byte in UInt8(1)...2 { try lock.commit(image(byte)) }
    try lock.removeImage(.live)
    try lock.commit(image(3))
    #expect(try directory.bytes(.previous) == image(1))
  }

  @Test("an open image stays readable after its file was replaced and deleted")
  func outlivesFile() throws {
    let lock = try directory.locked()
    try lock.commit(image(1))
    let first = try #require(try directory.readImage(source, .live))
    for byte in UInt8(2)...4 { try lock.commit(image(byte)) }
    try lock.removeImages()
    #expect(ImageBytes(first.bytes) == image(1))
  }

  @Test(
    "an image is mapped into memory if only its owner can access it, and otherwise copied",
    arguments: [
      (0o600, 0o700, true), (0o400, 0o700, true), (0o644, 0o700, false), (0o600, 0o755, false),
    ] as [(mode_t, mode_t, Bool)])
  func mapping(fileMode: mode_t, directoryMode: mode_t, isMapped: Bool) throws {
    try temporary.write(fileName(.live), image(5).bytes, mode: fileMode)
    chmod(temporary.path, directoryMode)
    let read = try #require(try directory.readImage(source, .live))
    #expect(ImageBytes(read.bytes) == image(5))
    // A mapping shows what is written into the file behind it, a copy does not.
    try FileHandle(temporary.path(fileName(.live))).overwriteFirst(with: 6)
    #expect(read.bytes.first == (isMapped ? 6 : 5))
  }

  @Test("an image of more than 2 GiB - 1 byte is refused without being read")
  func tooLarge() throws {
    try temporary.write(fileName(.live), [])
    truncate(temporary.path(fileName(.live)), Int(Int32.max) + 1)
    #expect(code { _ = try directory.readImage(source, .live) } == .tooLarge)
  }

  @Test(
    "a symbolic link or special file is never read as an image or as the state file of a source",
    arguments: Planted.refused)
  func planted(kind: Planted) throws {
    guard kind != .foreignOwner || geteuid() == 0 else { return }
    for slot in ImageSlot.allCases {
      try kind.plant(at: fileName(slot), in: temporary)
      #expect(code { _ = try directory.readImage(source, slot) } == .permission, "\(slot)")
    }
    try kind.plant(at: StoredFile.ledger(source).fileName, in: temporary)
    try kind.plant(at: StoredFile.serverLedger(server).fileName, in: temporary)
    #expect(directory.readLedger(source) == SourceLedger())
    let lock = try directory.locked()
    #expect(code { try lock.writeLedger(SourceLedger()) } == .permission)
    #expect(code { try directory.updateServerLedger(server) { $0.backoff.untilMs = 1 } } == .permission)
    #expect(code { try lock.promoteStaged() } == .permission)
    #expect(temporary.read("target") == Planted.target)
  }

  @Test(
    "storing an image replaces a symbolic link or special file that has the image's name",
    arguments: Planted.refused)
  func plantedIsReplaced(kind: Planted) throws {
    guard kind != .foreignOwner || geteuid() == 0 else { return }
    try kind.plant(at: fileName(.live), in: temporary)
    let lock = try directory.locked()
    if kind == .directory {
      #expect(code { try lock.commit(image(1)) } == .storage)
      #expect(code { try lock.removeImages() } == .storage)
    } else {
      try lock.commit(image(1))
      #expect(try directory.bytes(.live) == image(1))
      #expect(try directory.bytes(.previous) == nil)
    }
    #expect(temporary.read("target") == Planted.target)
    #expect(!temporary.names.contains { $0.hasSuffix(".tmp") })
  }

  @Test(
    "a symbolic link or special file in the place of the lock file is refused, and its target does not change",
    arguments: Planted.refused)
  func plantedLock(kind: Planted) throws {
    guard kind != .foreignOwner || geteuid() == 0 else { return }
    try kind.plant(at: "lock", in: temporary)
    #expect(code { _ = try directory.tryLock(source) } == .permission)
    #expect(temporary.read("target") == Planted.target)
  }
}

/// What somebody may have put where the library expects a file of its own.
enum Planted: CaseIterable {
  case symbolicLink, danglingLink, fifo, directory, hardLink, groupWritable, worldWritable, foreignOwner

  static let target: [UInt8] = Array("do not touch".utf8)

  /// All that is never used in a storage directory, where a file that its group can write gets its mode back.
  static var refused: [Planted] { allCases.filter { $0 != .groupWritable } }

  func plant(at name: String, in temporary: TemporaryDirectory) throws {
    try temporary.write("target", Self.target)
    let path = temporary.path(name)
    switch self {
    case .symbolicLink: symlink(temporary.path("target"), path)
    case .danglingLink: symlink(temporary.path("nowhere"), path)
    case .fifo: _ = test_make_fifo(path)
    case .directory: mkdir(path, 0o700)
    case .hardLink: link(temporary.path("target"), path)
    case .groupWritable: try temporary.write(name, Self.target, mode: 0o620)
    case .worldWritable: try temporary.write(name, Self.target, mode: 0o602)
    case .foreignOwner:
      try temporary.write(name, Self.target)
      chown(path, 65534, 65534)
    }
  }
}

/// A file that a test changes behind the library's back.
private struct FileHandle {
  let path: String

  init(_ path: String) { self.path = path }

  func overwriteFirst(with byte: UInt8) throws {
    chmod(path, 0o600)
    let file = open(path, O_WRONLY)
    guard file >= 0 else { throw FileFailure(action: "open", path: path, number: errno) }
    defer { close(file) }
    var byte = byte
    pwrite(file, &byte, 1, 0)
  }
}
