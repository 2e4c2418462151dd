// SPDX-License-Identifier: Apache-2.0
//
// Which parts and attachments go, and which stay.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Deletion of unused attachments")
final class AttachmentSweepTests: StoreSuite {
  private let now = SystemClock().nowMs
  private let day = DirectorySweep.forgottenMs

  @Test("an attachment is deleted after a day without use, unless a record refers to it")
  func unnamed() throws {
    for name in [logo, photo] { try directory.store(image(1), as: name) }
    var asked = 0
    func sweep(_ nowMs: Int64, _ kept: Set<AttachmentName>) -> Int {
      DirectorySweep(directory).runAttachments(
        keeping: {
          asked += 1
          return kept
        }, nowMs: nowMs)
    }
    #expect(sweep(now + day / 2, []) == 0)
    #expect(asked == 0)
    #expect(sweep(now + 2 * day, [logo, photo]) == 0)
    #expect(asked == 1)
    #expect(sweep(now + 2 * day, [photo]) == 1)
    #expect(asked == 2)
    #expect(try directory.attachment(logo) == nil)
    #expect(try directory.attachment(photo) == image(1))
  }

  @Test("opening an attachment keeps it for another day, even if no record refers to it")
  func opened() throws {
    try directory.store(image(1))
    _ = try directory.openAttachment(logo, bytes: 3000, nowMs: now + 10 * day)
    #expect(DirectorySweep(directory).runAttachments(keeping: { [] }, nowMs: now + 10 * day + day / 2) == 0)
    _ = try? directory.openAttachment(logo, bytes: 2, nowMs: now + 11 * day)
    #expect(DirectorySweep(directory).runAttachments(keeping: { [] }, nowMs: now + 11 * day + 1000) == 1)
  }

  @Test("an attachment that is opened during the search for unused attachments is kept")
  func openedMeanwhile() throws {
    try directory.store(image(1))
    let later = now + 2 * day
    let removed = DirectorySweep(directory).runAttachments(
      keeping: {
        _ = try? directory.openAttachment(logo, bytes: 3000, nowMs: later)
        return []
      }, nowMs: later)
    #expect(removed == 0)
    #expect(try directory.attachment() == image(1))
  }

  @Test("an attachment is kept if it is opened just before the search for unused attachments locks it")
  func openedAtTheLock() throws {
    try directory.store(image(1))
    let later = now + 2 * day
    var calls = SystemCalls.real
    calls.files.lock = { [directory] file, byte, exclusive in
      if exclusive { _ = try? directory.openAttachment(logo, bytes: 3000, nowMs: later) }
      return SystemCalls.real.files.lock(file, byte, exclusive)
    }
    let sweeping = try StorageDirectory.open(path: temporary.path, calls: calls)
    #expect(DirectorySweep(sweeping).runAttachments(keeping: { [] }, nowMs: later) == 0)
    #expect(try directory.attachment() == image(1))
  }

  @Test("a partial file is deleted after a day without new bytes, and kept while it is written")
  func parts() throws {
    var part: PartFile? = try directory.locked(logo).openPart(logo)
    try part?.append([1])
    let isAsked = Box(false)
    func sweep(_ nowMs: Int64) -> Int {
      DirectorySweep(directory).runAttachments(
        keeping: {
          isAsked.update { $0 = true }
          return []
        }, nowMs: nowMs)
    }
    #expect(sweep(now + 2 * day) == 0)
    part = nil
    #expect(sweep(now + day / 2) == 0)
    #expect(sweep(now + 2 * day) == 1)
    #expect(!isAsked.read { $0 })
    #expect(temporary.names == ["lock"])
  }

  @Test("an attachment and its partial file are kept while another process has their lock", .forks)
  func elsewhere() throws {
    try directory.store(image(1))
    try temporary.write("\(logo.hex).part", [1])
    let child = test_hold_lock_in_child(temporary.path("lock"), logo.storageName.lockByte)
    try #require(child > 0)
    #expect(DirectorySweep(directory).runAttachments(keeping: { [] }, nowMs: now + 2 * day) == 0)
    test_kill(child)
    #expect(DirectorySweep(directory).runAttachments(keeping: { [] }, nowMs: now + 2 * day) == 2)
  }

  @Test("deleting unused attachments keeps the files of sources, and deleting files of sources keeps the attachments")
  func separate() throws {
    try directory.store(image(1))
    try temporary.write("\(photo.hex).part", [1])
    try directory.locked().commit(image(1))
    try temporary.write("\(photo.hex).bak", [1])
    try temporary.write(StoredFile.newTemporary(source).fileName, [1])
    #expect(DirectorySweep(directory).runAttachments(keeping: { [] }, nowMs: now + 100 * day) == 2)
    #expect(temporary.names.count == 4)
    try directory.store(image(1))
    #expect(DirectorySweep(directory).run(nowMs: now + 100 * day) == 2)
    #expect(try directory.attachment() == image(1))
  }

  @Test(
    "a symbolic link or special file in the place of an attachment is deleted, and its target does not change",
    arguments: Planted.allCases)
  func planted(kind: Planted) throws {
    guard kind != .foreignOwner || geteuid() == 0 else { return }
    try kind.plant(at: "\(logo.hex).attachment", in: temporary)
    try kind.plant(at: "\(photo.hex).part", in: temporary)
    let removed = DirectorySweep(directory).runAttachments(keeping: { [] }, nowMs: now + 2 * day)
    #expect(removed == (kind == .directory ? 0 : 2))
    #expect(temporary.read("target") == Planted.target)
  }

  @Test(
    "the search for unused attachments does not crash if the clock is far off", arguments: [Int64.min, -1, 0, .max])
  func strangeClock(time: Int64) throws {
    try directory.store(image(1))
    _ = try directory.openAttachment(logo, bytes: 3000, nowMs: time)
    DirectorySweep(directory).runAttachments(keeping: { [logo] }, nowMs: time)
    #expect(try directory.attachment() == image(1))
  }
}
