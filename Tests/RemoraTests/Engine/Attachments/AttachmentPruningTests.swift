// SPDX-License-Identifier: Apache-2.0
//
// Which attachments stay: what any image of the directory names, what this process has live, and what is young.

import Glibc
import Testing

@testable import Remora

@Suite("Deletion of attachments that no record refers to")
struct AttachmentPruningTests {
  let directory: TemporaryDirectory
  let server: AttachmentServer
  let clock = ManualClock()

  init() throws {
    directory = try TemporaryDirectory()
    server = try AttachmentServer()
    try server.put("a", [1], at: 1000)
  }

  /// The attachments of these bodies that are stored.
  private func stored(_ bodies: [UInt8]...) throws -> [Bool] {
    try bodies.map { access(directory.path("storage/\(try attachmentName(of: $0).hex).attachment"), F_OK) == 0 }
  }

  /// Makes every attachment two days old, and every live image an hour.
  private func age() throws {
    directory.ageLive(in: "storage")
    var times = utimbuf(actime: time_t(TestTime.now - 2 * 86_400), modtime: time_t(TestTime.now - 2 * 86_400))
    let folder = directory.path("storage")
    for name in names(of: folder) where name.hasSuffix(".attachment") { utime("\(folder)/\(name)", &times) }
  }

  private func names(of folder: String) -> [String] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
        })
    }
    return names
  }

  /// Sweeps on the worker, a day later.
  private func sweep(_ client: Client) {
    clock.advance(byMs: dayMs)
    Runtime.shared.worker.perform { client.sweepIfDue($0) }
  }

  @Test("files of a source that is open for more than 30 days are not deleted, although the source is never refreshed")
  func openSource() throws {
    let stage = try AttachmentStage(server, in: directory, clock: clock) { $0.requiresSignature = false }
    sweep(stage.scene.client)
    let folder = directory.path("storage")
    var times = utimbuf(actime: time_t(TestTime.now - 40 * 86_400), modtime: time_t(TestTime.now - 40 * 86_400))
    for name in names(of: folder) { utime("\(folder)/\(name)", &times) }
    sweep(stage.scene.client)
    DirectorySweep(try StorageDirectory.open(path: folder)).run(nowMs: TestTime.nowMs)
    #expect(names(of: folder).contains { $0.hasSuffix(".live") })
  }

  @Test("the ledger of a server whose source is open is kept, and of another server is deleted after 30 days")
  func serverLedger() throws {
    let stage = try AttachmentStage(server, in: directory, clock: clock)
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    try storage.updateServerLedger(StorageName(hashing: "other")) { $0.clockFloorMs = 1 }
    let folder = directory.path("storage")
    func ledgers() -> Int { names(of: folder).count { $0.hasPrefix("server-") } }
    #expect(ledgers() == 2)
    var times = utimbuf(actime: time_t(TestTime.now - 40 * 86_400), modtime: time_t(TestTime.now - 40 * 86_400))
    for name in names(of: folder) { utime("\(folder)/\(name)", &times) }
    sweep(stage.scene.client)
    #expect(ledgers() == 1)
    let name = stage.source.core.serverName
    #expect(storage.readServerLedger(name)?.clockFloorMs ?? 0 > 0)
  }

  @Test("the stored overrides of a source that is open for more than 30 days without data are not deleted")
  func openSourceWithoutData() throws {
    let scene = try Scene(in: directory, clock: clock)
    let source = try scene.open { $0.opening.persistsOverrides = true }
    try source.set("a", "", "1")
    let folder = directory.path("storage")
    var times = utimbuf(actime: time_t(TestTime.now - 40 * 86_400), modtime: time_t(TestTime.now - 40 * 86_400))
    for name in names(of: folder) { utime("\(folder)/\(name)", &times) }
    sweep(scene.client)
    DirectorySweep(try StorageDirectory.open(path: folder)).run(nowMs: TestTime.nowMs)
    #expect(names(of: folder).contains { $0.hasSuffix(".overrides") })
  }

  @Test("an attachment that no stored record refers to is deleted after a day, and others are kept")
  func unnamed() throws {
    // Certificates do not last as long as this test.
    let stage = try AttachmentStage(server, in: directory, clock: clock) { $0.requiresSignature = false }
    try stage.open("a")
    try server.put("a", [2], at: 2000)
    stage.handle.refresh()
    try stage.open("a")
    // The image before the live one still names the first.
    try age()
    sweep(stage.scene.client)
    #expect(try stored([1], [2]) == [true, true])
    try server.put("a", [3], at: 3000)
    stage.handle.refresh()
    sweep(stage.scene.client)
    #expect(try stored([1], [2]) == [false, true])
  }

  @Test("an attachment that was opened or downloaded within the last day is kept, even if no record refers to it")
  func young() throws {
    let stage = try AttachmentStage(server, in: directory, clock: clock)
    let old = try stage.source.acquire()
    try stage.open("a")
    for version in 2...4 {
      directory.ageLive(in: "storage")
      try server.put("a", [UInt8(version)], at: Int64(version) * 1000)
      stage.handle.refresh()
    }
    sweep(stage.scene.client)
    #expect(try stored([1]) == [true])
    try age()
    #expect(try stage.open("a") { $0.snapshot = old } == [1])
    sweep(stage.scene.client)
    #expect(try stored([1]) == [true])
    try age()
    sweep(stage.scene.client)
    #expect(try stored([1]) == [false])
  }

  @Test("an attachment is kept if a record of another stored collection or of packaged data refers to it")
  func others() throws {
    try AttachmentStage(server, in: directory).open("a")
    let elsewhere = try AttachmentServer()
    try elsewhere.put("b", [7], at: 1000)
    let name = try attachmentName(of: [9]).hex
    let packaged = """
      {"data":[{"id":"p","last_modified":1,"attachment":{"hash":"\(name)","size":1,"location":"p"}}],"timestamp":1}
      """
    let stage = try AttachmentStage(elsewhere, in: directory, clock: clock) {
      $0.packaged = .bytes(Array(packaged.utf8))
    }
    try directory.write("storage/\(name).attachment", [9])
    try age()
    sweep(stage.scene.client)
    #expect(try stored([1], [9]) == [true, true])
  }

  @Test("a reset of a collection deletes its attachments, but not those of other collections")
  func reset() throws {
    let elsewhere = try AttachmentServer()
    try elsewhere.put("b", [7], at: 1000)
    let other = try AttachmentStage(elsewhere, in: directory)
    try other.open("b")
    let stage = try AttachmentStage(server, in: directory, clock: clock)
    try stage.open("a")
    try stage.source.reset()
    #expect(try stored([1], [7]) == [true, true])
    try age()
    sweep(stage.scene.client)
    #expect(try stored([1], [7]) == [false, true])
  }

  @Test("no attachment is deleted while the stored data of a collection cannot be read")
  func unreadable() throws {
    var calls = SystemCalls.real
    let isBroken = Box(false)
    let open = calls.directories.openFile
    calls.directories.openFile = { directory, name, flags in
      isBroken.read { $0 } && name.hasSuffix(".live") ? -EIO : open(directory, name, flags)
    }
    let stage = try AttachmentStage(server, in: directory, calls: calls, clock: clock)
    try directory.write("storage/\(try attachmentName(of: [9]).hex).attachment", [9])
    try age()
    isBroken.update { $0 = true }
    sweep(stage.scene.client)
    #expect(try stored([9]) == [true])
    isBroken.update { $0 = false }
    sweep(stage.scene.client)
    #expect(try stored([9]) == [false])
  }

  @Test("the directory is searched for unused attachments at most once a day, and again if the clock is set back")
  func onceADay() throws {
    let stage = try AttachmentStage(server, in: directory, clock: clock)
    let client = stage.scene.client
    let name = "storage/\(try attachmentName(of: [9]).hex).attachment"
    func isSwept() throws -> Bool {
      try directory.write(name, [9])
      try age()
      Runtime.shared.worker.perform { client.sweepIfDue($0) }
      return try stored([9]) == [false]
    }
    _ = try isSwept()
    #expect(try !isSwept())
    clock.advance(byMs: dayMs - 1)
    #expect(try !isSwept())
    clock.advance(byMs: 1)
    #expect(try isSwept())
    #expect(try !isSwept())
    clock.advance(byMs: -dayMs)
    #expect(try isSwept())
  }
}
