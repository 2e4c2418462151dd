// SPDX-License-Identifier: Apache-2.0
//
// What a sweep removes, and everything that it leaves alone.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Deletion of unused files")
struct DirectorySweepTests {
  private let temporary: TemporaryDirectory
  private let directory: StorageDirectory
  private let now = SystemClock().nowMs
  private let day: Int64 = 24 * 3600 * 1000

  init() throws {
    temporary = try TemporaryDirectory()
    directory = try StorageDirectory.open(path: temporary.path)
  }

  @Test("temporary files of a killed process are deleted at once")
  func deadWriter() throws {
    try temporary.write(StoredFile.newTemporary(source).fileName, [1])
    try temporary.write(StoredFile.newTemporary(source).fileName, [2])
    #expect(DirectorySweep(directory).run(nowMs: now) == 2)
    #expect(temporary.names == ["lock"])
  }

  @Test("temporary files of a killed process are deleted even while this process has locked the source")
  func lockedHere() throws {
    for byte in UInt8(1)...3 { try temporary.write(StoredFile.newTemporary(source).fileName, [byte]) }
    let lock = try directory.locked()
    #expect(DirectorySweep(directory).run(nowMs: now) == 3)
    #expect(temporary.names == ["lock"])
    #expect(lock.isHeld)
  }

  @Test("the temporary file that this process is writing is kept, and other temporary files are deleted")
  func livingWriter() throws {
    let other = StoredFile.newTemporary(source).fileName
    try temporary.write(other, [1])
    let sweeper = directory
    let (removed, now) = (Box<[Int]>([]), now)
    var calls = SystemCalls.real
    calls.files.sync = { file in
      let count = DirectorySweep(sweeper).run(nowMs: now)
      removed.update { $0.append(count) }
      return SystemCalls.real.files.sync(file)
    }
    let lock = try StorageDirectory.open(path: temporary.path, calls: calls).locked()
    try lock.commit(image(1))
    #expect(removed.read { $0 } == [1, 0])
    #expect(try directory.bytes(.live) == image(1))
    #expect(temporary.read(other) == nil)
  }

  @Test("the temporary files of another process that is still writing are kept", .forks)
  func writerElsewhere() throws {
    try directory.locked().unlock()
    let file = StoredFile.newTemporary(source).fileName
    try temporary.write(file, [1])
    let child = test_hold_lock_in_child(temporary.path("lock"), source.lockByte)
    try #require(child > 0)
    #expect(DirectorySweep(directory).run(nowMs: now) == 0)
    // Not for longer than an hour: its writer cannot be the holder any more.
    let second = StoredFile.newTemporary(source).fileName
    try temporary.write(second, [1])
    #expect(DirectorySweep(directory).run(nowMs: now + DirectorySweep.abandonedMs + 10_000) == 2)
    try temporary.write(file, [1])
    #expect(DirectorySweep(directory).run(nowMs: now) == 0)
    test_kill(child)
    #expect(DirectorySweep(directory).run(nowMs: now) == 1)
  }

  @Test("all files of a source that was not used for the retention time are deleted, and other files are kept")
  func unused() throws {
    for name in [source, otherSource] {
      let lock = try directory.locked(name)
      for byte in UInt8(1)...2 { try lock.commit(image(byte)) }
      try lock.writeLedger(SourceLedger())
    }
    let later = now + 40 * day
    directory.noteUse(of: otherSource, nowMs: later - 29 * day)
    #expect(DirectorySweep(directory).run(nowMs: later, unusedMs: nil) == 0)
    #expect(DirectorySweep(directory).run(nowMs: later) == 3)
    #expect(try directory.bytes(.live) == nil)
    #expect(try directory.bytes(.live, of: otherSource) == image(2))
    #expect(try directory.bytes(.previous, of: otherSource) == image(1))
  }

  @Test("an unused source that is locked is kept")
  func unusedButLocked() throws {
    let lock = try directory.locked()
    try lock.commit(image(1))
    #expect(DirectorySweep(directory).run(nowMs: now + 40 * day) == 0)
    lock.unlock()
    #expect(DirectorySweep(directory).run(nowMs: now + 40 * day) == 1)
  }

  @Test("the ledger of a server is deleted if it was not written for the retention time")
  func serverLedger() throws {
    try directory.updateServerLedger(server) { $0.backoffUntilMs = 1 }
    #expect(DirectorySweep(directory).run(nowMs: now) == 0)
    #expect(DirectorySweep(directory).run(nowMs: now + 40 * day) == 1)
  }

  @Test("files with names of another form are kept, however old they are")
  func foreignFiles() throws {
    try temporary.write("notes.tmp", [1])
    try temporary.write("\(source.hex).backup", [1])
    mkdir(temporary.path("attachments"), 0o700)
    #expect(DirectorySweep(directory).run(nowMs: .max) == 0)
    #expect(temporary.names.count == 3)
  }

  @Test("a clock that is far off never causes a crash", arguments: [Int64.min, -1, 0, .max])
  func strangeClock(time: Int64) throws {
    try temporary.write(StoredFile.newTemporary(source).fileName, [1])
    directory.noteUse(of: source, nowMs: time)
    DirectorySweep(directory).run(nowMs: time, unusedMs: .max)
    DirectorySweep(directory).run(nowMs: time, unusedMs: .min)
  }
}
