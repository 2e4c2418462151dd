// SPDX-License-Identifier: Apache-2.0
//
// What a sweep removes, and everything that it leaves alone.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Deletion of unused files in the storage directory")
final class DirectorySweepTests: StoreSuite {
  private let now = SystemClock().nowMs
  private let day: Int64 = 24 * 3600 * 1000

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

  @Test("temporary files are kept while another process has the lock of their source, but for at most an hour", .forks)
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

  @Test("the files of a source are deleted after 30 days without use, and those of other sources are kept")
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

  @Test("a mark of use that fails leaves the live file the time at which it became live")
  func failedMark() throws {
    let (touched, real) = (Box<[String]>([]), SystemCalls.real)
    var calls = real
    calls.directories.touch = { number, name, nowMs in
      touched.update { $0.append(name) }
      return name.hasSuffix(".ledger") ? -EINTR : real.directories.touch(number, name, nowMs)
    }
    let directory = try StorageDirectory.open(path: temporary.path("marked"), calls: calls)
    let lock = try directory.locked(source)
    try lock.commit(image(1))
    try lock.writeLedger(SourceLedger())
    touched.update { $0 = [] }
    directory.noteUse(of: source, nowMs: now)
    #expect(touched.read { $0 } == ["\(source.hex).ledger"])
  }

  @Test("the files of an unused source are kept while the source is locked")
  func unusedButLocked() throws {
    let lock = try directory.locked()
    try lock.commit(image(1))
    #expect(DirectorySweep(directory).run(nowMs: now + 40 * day) == 0)
    lock.unlock()
    #expect(DirectorySweep(directory).run(nowMs: now + 40 * day) == 1)
  }

  @Test("the file with the backoff of a server is deleted if it was not written for more than 30 days")
  func serverLedger() throws {
    try directory.updateServerLedger(server) { $0.backoff.untilMs = 1 }
    #expect(DirectorySweep(directory).run(nowMs: now) == 0)
    #expect(DirectorySweep(directory).run(nowMs: now + 40 * day) == 1)
  }

  @Test("files whose names Remora does not use are kept, however old they are")
  func foreignFiles() throws {
    try temporary.write("notes.tmp", [1])
    try temporary.write("\(source.hex).backup", [1])
    mkdir(temporary.path("attachments"), 0o700)
    #expect(DirectorySweep(directory).run(nowMs: .max) == 0)
    #expect(temporary.names.count == 3)
  }

  @Test("deleting unused files does not crash if the clock is far off", arguments: [Int64.min, -1, 0, .max])
  func strangeClock(time: Int64) throws {
    try temporary.write(StoredFile.newTemporary(source).fileName, [1])
    directory.noteUse(of: source, nowMs: time)
    DirectorySweep(directory).run(nowMs: time, unusedMs: .max)
    DirectorySweep(directory).run(nowMs: time, unusedMs: .min)
  }
}
