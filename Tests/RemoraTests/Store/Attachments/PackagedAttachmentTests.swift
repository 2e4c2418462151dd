// SPDX-License-Identifier: Apache-2.0
//
// Attachments that a host brings along: which file is a record's, and which files are not believed.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Packaged attachments (files that are shipped with the program)")
struct PackagedAttachmentTests {
  private let temporary: TemporaryDirectory
  private var folder: String { temporary.path("folder") }

  init() throws {
    temporary = try TemporaryDirectory()
    mkdir(temporary.path("folder"), 0o755)
    try temporary.write("outside", [1])
  }

  @Test("a packaged attachment is mapped into memory from its own file", arguments: [0o600, 0o644, 0o444] as [mode_t])
  func mapped(mode: mode_t) throws {
    try temporary.write("folder/record-1", [1, 2, 3], mode: mode)
    let content = try #require(try open("record-1", bytes: 3))
    #expect(Array(content.bytes) == [1, 2, 3])
    // A mapping shows what is written into the file behind it, a copy does not.
    chmod(temporary.path("folder/record-1"), 0o600)
    try temporary.write("folder/other", [])
    let file = Glibc.open(temporary.path("folder/record-1"), O_WRONLY)
    pwrite(file, [UInt8(9)], 1, 0)
    close(file)
    #expect(content.bytes.first == 9)
    #expect(packagedAttachmentPath(folder: folder, record: "record-1") == "\(folder)/record-1")
  }

  @Test("an empty packaged file is an attachment too")
  func empty() throws {
    try temporary.write("folder/empty", [])
    #expect(try open("empty", bytes: 0)?.bytes.count == 0)
  }

  @Test("a record without a file in the folder has no packaged attachment, and a folder that is a file is an error")
  func absent() throws {
    #expect(try open("record", bytes: 3) == nil)
    #expect(try openPackagedAttachment(folder: temporary.path("nowhere"), record: "record", bytes: 3) == nil)
    #expect(
      code { _ = try openPackagedAttachment(folder: temporary.path("outside"), record: "a", bytes: 3) } == .storage)
  }

  @Test("a packaged attachment whose size differs from that in its record is damaged")
  func otherSize() throws {
    try temporary.write("folder/record", [1, 2, 3])
    for bytes in [0, 2, 4, -1, .max] { #expect(code { _ = try open("record", bytes: bytes) } == .corrupt) }
  }

  @Test(
    "a special file is refused as a packaged attachment, and a link is followed to its target",
    arguments: Planted.allCases)
  func planted(kind: Planted) throws {
    guard kind != .foreignOwner || geteuid() == 0 else { return }
    try temporary.write("target", Planted.target)
    try kind.plant(at: "folder/record", in: temporary)
    let count = kind == .directory ? 0 : Planted.target.count
    let isLink = [.hardLink, .symbolicLink, .danglingLink].contains(kind)
    #expect(code { _ = try open("record", bytes: count) } == (isLink ? nil : .permission))
    if kind == .danglingLink { #expect(try open("record", bytes: count) == nil) }
    #expect(temporary.read("target") == Planted.target)
  }

  @Test("packaged attachments in the folder of a ConfigMap are links, whose targets are checked like files")
  func configMap() throws {
    try temporary.makeDirectory("folder/..2026_11_27", mode: 0o755)
    try temporary.write("folder/..2026_11_27/record", [1, 2])
    symlink("..2026_11_27", temporary.path("folder/..data"))
    symlink("..data/record", temporary.path("folder/record"))
    #expect(try open("record", bytes: 2)?.bytes.count == 2)
    chmod(temporary.path("folder/..2026_11_27/record"), 0o666)
    #expect(code { _ = try open("record", bytes: 2) } == .permission)
  }

  @Test("a folder of packaged attachments that all users could write is used if it is mounted read-only")
  func readOnlyFolder() throws {
    try temporary.write("folder/record", [1])
    chmod(folder, 0o777)
    #expect(code { _ = try open("record", bytes: 1) } == .permission)
    var calls = SystemCalls.real
    calls.directories.isReadOnly = { _ in true }
    #expect(try openPackagedAttachment(folder: folder, record: "record", bytes: 1, calls: calls) != nil)
  }

  @Test(
    "a packaged file that another user owns is accepted if that user also owns the folder",
    .enabled(if: geteuid() == 0, "only root can give one away"))
  func folderOwner() throws {
    try temporary.write("folder/record", [1])
    chown(temporary.path("folder/record"), 65534, 65534)
    #expect(code { _ = try open("record", bytes: 1) } == .permission)
    chown(folder, 65534, 65534)
    #expect(try open("record", bytes: 1) != nil)
  }

  @Test(
    "a packaged file that root owns is accepted by any user",
    .enabled(if: geteuid() == 0, "needs two users"), .forks)
  func root() throws {
    try temporary.write("folder/record", [1], mode: 0o644)
    chmod(temporary.path, 0o755)
    let folder = folder
    #expect(
      inForkedChild {
        guard test_become_nobody() == 0 else { return 1 }
        return (try? openPackagedAttachment(folder: folder, record: "record", bytes: 1)) != nil ? 0 : 2
      } == 0)
  }

  @Test(
    "packaged files in a folder that other users can write are refused", arguments: [0o775, 0o757, 0o777] as [mode_t])
  func writableFolder(mode: mode_t) throws {
    try temporary.write("folder/record", [1])
    chmod(folder, mode)
    #expect(code { _ = try open("record", bytes: 1) } == .permission)
  }

  @Test(
    "a packaged file that cannot be opened is an error with the message of the system",
    arguments: [EACCES, EIO, EMFILE])
  func faults(number: Int32) throws {
    try temporary.write("folder/record", [1])
    let faults = FaultySystemCalls()
    faults.arm([1: .fails(errno: number)])
    let error = #expect(throws: RemoraError.self) {
      try openPackagedAttachment(folder: folder, record: "record", bytes: 1, calls: faults.calls)
    }
    #expect(error?.code == .storage)
    #expect(error?.message.hasSuffix(errorText(number)) == true)
  }

  @Test("a malicious record id never opens a file outside of the folder of packaged attachments")
  func hostileNames() throws {
    let opened = Box<[String]>([])
    var calls = SystemCalls.real
    calls.directories.openTarget = { directory, name in
      opened.update { $0.append(name) }
      return SystemCalls.real.directories.openTarget(directory, name)
    }
    let names = Self.hostile
    #expect(Set(names).count >= 500)
    for name in names {
      #expect(packagedAttachmentPath(folder: folder, record: name) == nil, "\(name.debugDescription)")
      #expect(try openPackagedAttachment(folder: folder, record: name, bytes: 1, calls: calls) == nil)
    }
    #expect(opened.read { $0.isEmpty })
    for name in ["a", "0", "a..b", "a.meta.json", "CON", "A_b-c.d", String(repeating: "a", count: 255)] {
      #expect(packagedAttachmentPath(folder: folder, record: name) == "\(folder)/\(name)")
      #expect(try openPackagedAttachment(folder: folder, record: name, bytes: 1, calls: calls) == nil)
    }
    #expect(opened.read { $0.count } == 7)
    for folder in ["", "a\0b"] { #expect(packagedAttachmentPath(folder: folder, record: "a") == nil) }
  }

  @Test("the packaged attachments of the reference client are found by the ids of their records", .vectors)
  func vectors() throws {
    let root = "rs-dumps-appservices/main/attachments"
    var count = 0
    for collection in Vectors.names(in: root) {
      for name in Vectors.names(in: "\(root)/\(collection)") where !name.hasSuffix(".meta.json") {
        let bytes = try #require(Vectors.bytes("\(root)/\(collection)/\(name)"))
        let content = try openPackagedAttachment(
          folder: Vectors.path("\(root)/\(collection)"), record: name, bytes: bytes.count)
        #expect(content.map { Array($0.bytes) } == bytes)
        count += 1
      }
    }
    #expect(count > 0)
  }

  private func open(_ record: String, bytes: Int) throws -> ImageBuffer? {
    try openPackagedAttachment(folder: folder, record: record, bytes: bytes)
  }

  /// Ids that are no file names, or would lead out of a folder.
  private static let hostile: [String] = {
    var names = [
      "", ".", "..", "../outside", "../../etc/passwd", "/etc/passwd", "a/../../outside", "a/b", "./a", "a/", "\\..\\a",
      "%2e%2e%2foutside", "a%2f..", "a\0", "\0", "\0../outside", "a b", " a", "a\n", "-a", "_a", ".a", "...", "~",
      "~root",
      "a:b", "a*", "a?", "$(id)", "`id`", "a;b", "a|b", "é", "日本", "🐟", "a🐟", "\u{202E}a", "ａ", "a\u{0301}", "..%00",
      String(repeating: "a", count: 256), String(repeating: "a", count: 4096), String(repeating: "../", count: 1400),
    ]
    // Every byte that is neither letter nor digit at the front, and every one that is nothing of a name behind.
    for byte in UInt8.min...UInt8.max {
      let character = String(decoding: [byte], as: UTF8.self)
      let isLetterOrDigit = isLetter(byte) || isDigit(byte)
      if !isLetterOrDigit { names.append(character + "a") }
      if !isLetterOrDigit, ![".", "_", "-"].contains(character) { names.append("a" + character) }
    }
    for depth in 1...120 {
      for step in ["../", "..\\", "%2e%2e/"] { names.append(String(repeating: step, count: depth) + "etc/passwd") }
    }
    return names
  }()
}
