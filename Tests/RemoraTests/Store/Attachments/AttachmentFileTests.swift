// SPDX-License-Identifier: Apache-2.0
//
// Attachments on their way into a file: begun, continued, installed, removed; and what is never read as one.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Files of attachments, and partial files of downloads that have not ended")
final class AttachmentFileTests: StoreSuite {
  @Test(
    "a stored attachment is read back, even after the storage directory is opened again",
    arguments: [0, 1, 4096, 1_000_001])
  func roundTrip(count: Int) throws {
    #expect(try directory.attachment(bytes: count) == nil)
    try directory.store(image(7, count: count))
    #expect(try directory.attachment(bytes: count) == image(7, count: count))
    #expect(try StorageDirectory.open(path: temporary.path).attachment(bytes: count) == image(7, count: count))
    #expect(temporary.names == ["\(logo.hex).attachment", "lock"].sorted())
    #expect(directory.attachmentPath(logo) == temporary.path("\(logo.hex).attachment"))
    var status = stat()
    #expect(stat(directory.attachmentPath(logo), &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
  }

  @Test("a partial file is continued at its end, by the same process or by another")
  func continued() throws {
    let lock = try directory.locked(logo)
    let first = try lock.openPart(logo)
    #expect(first.count == 0)
    #expect(!first.isInMemory)
    try first.append(image(1, count: 1000).bytes[...])
    #expect(try directory.attachment(bytes: 1000) == nil)
    lock.unlock()
    let next = try StorageDirectory.open(path: temporary.path).locked(logo)
    let second = try next.openPart(logo)
    #expect(second.count == 1000)
    try second.append(image(2, count: 1000).bytes[...])
    #expect(try second.bytes == ImageBytes(image(1, count: 1000).bytes + image(2, count: 1000).bytes))
    try next.install(second)
    #expect(try directory.attachment(bytes: 2000) != nil)
  }

  @Test(
    "a write into the middle of a partial file discards the bytes after it, and a write beyond its end fails",
    arguments: [true, false])
  func offsets(isInMemory: Bool) throws {
    let lock = try directory.locked(logo)
    let part = try isInMemory ? PartFile.inMemory(logo) : lock.openPart(logo)
    func write(_ bytes: [UInt8], at offset: Int) -> Int32 { bytes.withUnsafeBytes { part.write($0, at: offset) } }
    #expect(write([1, 2, 3, 4], at: 0) == 0)
    #expect(write([5], at: 2) == 0)
    #expect(try part.bytes == ImageBytes([1, 2, 5]))
    #expect(write([6], at: 4) == -EINVAL)
    #expect(write([6], at: -1) == -EINVAL)
    #expect(write([], at: 1) == 0)
    #expect(part.count == 1)
    #expect(write([7], at: 0) == 0)
    #expect(try part.bytes == ImageBytes([7]))
    try part.truncate(to: 0)
    #expect(try part.bytes == ImageBytes([]))
  }

  @Test("a partial file in memory needs no storage directory; its loaded content stays readable when the file is freed")
  func inMemory() throws {
    var part: PartFile? = try PartFile.inMemory(logo)
    try part?.append(image(3, count: 100_000).bytes[...])
    #expect(part?.isInMemory == true)
    let content = try part?.load()
    #expect(code { try directory.locked(logo).install(#require(part)) } == .internal)
    part = nil
    #expect(content.map { ImageBytes($0.bytes) } == image(3, count: 100_000))
    #expect(temporary.names == ["lock"])
  }

  @Test("if the storage directory is unusable, no partial file is created and the error has the reason")
  func memoryDirectory() throws {
    let problem = RemoraError(.storage, "no directory")
    let nowhere = StorageDirectory.memory(because: problem)
    #expect(throws: problem) { try nowhere.locked(logo).openPart(logo) }
    #expect(try nowhere.attachment() == nil)
    #expect(DirectorySweep(nowhere).runAttachments(keeping: { [] }, nowMs: .max) == 0)
  }

  @Test("an attachment is not written without the lock of its partial file")
  func needsLock() throws {
    let lock = try directory.locked(logo)
    #expect(code { _ = try lock.openPart(photo) } == .internal)
    #expect(code { _ = try directory.locked(source).openPart(logo) } == .internal)
    let part = try lock.openPart(logo)
    try part.append([1])
    let other = try directory.locked(photo)
    #expect(code { try other.install(part) } == .internal)
    other.discard(part)
    lock.unlock()
    #expect(code { try part.append([2]) } == .storage)
    #expect(code { try part.truncate(to: 0) } == .internal)
    #expect(code { try lock.install(part) } == .internal)
    #expect(code { try lock.removeAttachment(logo) } == .internal)
    lock.discard(part)
    #expect(temporary.read("\(logo.hex).part") == [1])
  }

  @Test("an open partial file is locked, and a forked child cannot write to it", .forks)
  func holdsLock() throws {
    var part: PartFile? = try directory.locked(logo).openPart(logo)
    try part?.append([1])
    #expect(try directory.tryLock(logo.storageName) == nil)
    let inherited = part
    #expect(
      inForkedChild {
        guard let inherited, code(of: { try inherited.append([2]) }) == .storage else { return 1 }
        return code(of: { try inherited.lock?.install(inherited) }) == .internal ? 0 : 2
      } == 0)
    #expect(temporary.read("\(logo.hex).part") == [1])
    withExtendedLifetime(inherited) {}
    part = nil
  }

  @Test("the lock of a partial file is released when its last reference is released")
  func lastReference() throws {
    var part: PartFile? = try directory.locked(logo).openPart(logo)
    #expect(part?.count == 0)
    part = nil
    #expect(try directory.tryLock(logo.storageName) != nil)
  }

  @Test("discarding a partial file deletes it, and the next download starts with an empty file")
  func discarded() throws {
    let lock = try directory.locked(logo)
    let part = try lock.openPart(logo)
    try part.append([1, 2, 3])
    lock.discard(part)
    lock.discard(part)
    #expect(temporary.names == ["lock"])
    #expect(try lock.openPart(logo).count == 0)
  }

  @Test("an attachment that is mapped into memory stays readable after its file was replaced and deleted")
  func outlivesFile() throws {
    try directory.store(image(1))
    let content = try #require(try directory.openAttachment(logo, bytes: 3000))
    try directory.store(image(2))
    #expect(try directory.attachment() == image(2))
    let lock = try directory.locked(logo)
    try lock.removeAttachment(logo)
    try lock.removeAttachment(logo)
    #expect(try directory.attachment() == nil)
    #expect(ImageBytes(content.bytes) == image(1))
  }

  @Test(
    "attachments and partial files are mapped into memory even if other users can read them",
    arguments: [(0o600, 0o700), (0o644, 0o755), (0o600, 0o755)] as [(mode_t, mode_t)])
  func mapped(fileMode: mode_t, directoryMode: mode_t) throws {
    chmod(temporary.path, directoryMode)
    for name in ["\(logo.hex).attachment", "\(logo.hex).part"] {
      try temporary.write(name, [1, 2, 3], mode: fileMode)
      let part = try directory.locked(logo).openPart(logo)
      let content = try name.hasSuffix("part") ? part.load() : #require(try directory.openAttachment(logo, bytes: 3))
      let file = open(temporary.path(name), O_WRONLY)
      pwrite(file, [UInt8(9)], 1, 0)
      close(file)
      // A mapping shows what is written into the file behind it, a copy does not.
      #expect(Array(content.bytes) == [9, 2, 3])
    }
  }

  @Test(
    "an attachment file whose size differs from that in its record is treated as damaged",
    arguments: [0, 2999, 3001, .max, -1])
  func otherSize(bytes: Int) throws {
    try directory.store(image(1))
    #expect(code { _ = try directory.openAttachment(logo, bytes: bytes) } == .corrupt)
  }

  @Test("a symbolic link or special file with the name of an attachment is never read", arguments: Planted.refused)
  func planted(kind: Planted) throws {
    guard kind != .foreignOwner || geteuid() == 0 else { return }
    try kind.plant(at: "\(logo.hex).attachment", in: temporary)
    #expect(code { _ = try directory.openAttachment(logo, bytes: Planted.target.count) } == .permission)
    #expect(temporary.read("target") == Planted.target)
  }

  @Test(
    "a symbolic link or special file in the place of a partial file is replaced, and its target is not written",
    arguments: Planted.refused)
  func plantedIsReplaced(kind: Planted) throws {
    guard kind != .foreignOwner || geteuid() == 0 else { return }
    try kind.plant(at: "\(logo.hex).part", in: temporary)
    if kind == .directory {
      #expect(code { try directory.store(image(1)) } == .storage)
      rmdir(temporary.path("\(logo.hex).part"))
    } else {
      try directory.store(image(1))
      #expect(try directory.attachment() == image(1))
      try directory.locked(logo).removeAttachment(logo)
    }
    try kind.plant(at: "\(logo.hex).attachment", in: temporary)
    if kind == .directory {
      #expect(code { try directory.store(image(1)) } == .storage)
    } else {
      try directory.store(image(1))
      #expect(try directory.attachment() == image(1))
    }
    #expect(temporary.read("target") == Planted.target)
    #expect(!temporary.names.contains { $0.hasSuffix(".part") })
  }

}
