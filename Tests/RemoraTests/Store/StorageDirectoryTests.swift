// SPDX-License-Identifier: Apache-2.0
//
// Opening a storage directory: what is made, what is refused, and what stays in memory.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Storage directory")
struct StorageDirectoryTests {
  private let temporary: TemporaryDirectory

  init() throws { temporary = try TemporaryDirectory() }

  @Test("missing parent directories are created with access for the owner only")
  func missingParents() throws {
    let directory = try StorageDirectory.open(path: temporary.path("a/b//c/"))
    #expect(directory.writeProblem == nil)
    for made in ["a", "a/b", "a/b/c"] {
      var status = stat()
      #expect(stat(temporary.path(made), &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o700)
    }
  }

  @Test(
    "a file at the path of the storage directory is a storage error",
    arguments: ["file", "file/below", "file/far/below"])
  func fileInTheWay(name: String) throws {
    try temporary.write("file", [1])
    #expect(code { _ = try StorageDirectory.open(path: temporary.path(name)) } == .storage)
    #expect(temporary.read("file") == [1])
  }

  @Test("a symbolic link to a missing target is a storage error, and the target is not created")
  func danglingLink() throws {
    symlink(temporary.path("target"), temporary.path("link"))
    #expect(code { _ = try StorageDirectory.open(path: temporary.path("link")) } == .storage)
    #expect(temporary.names == ["link"])
  }

  @Test("an empty path and a path with a NUL character are invalid arguments", arguments: ["", "a\0b"])
  func invalidPath(path: String) {
    #expect(code { _ = try StorageDirectory.open(path: path) } == .invalidArgument)
  }

  @Test(
    "a storage directory that all users can write is not used, and the reason names its mode",
    arguments: [0o702, 0o777, 0o1777] as [mode_t])
  func writableByOthers(mode: mode_t) throws {
    chmod(temporary.path, mode)
    let words = "\(temporary.path) has mode 0\(String(mode & 0o777, radix: 8)), so that other users can write to it"
    let directory = try StorageDirectory.open(path: temporary.path)
    #expect(directory.writeProblem == RemoraError(.permission, words))
    #expect(code { try directory.locked().commit(image(1)) } == .permission)
    #expect(temporary.names.isEmpty)
    #expect(try temporary.mode() == mode)
  }

  @Test(
    "a directory whose group can write it gets mode 0700 back, and its files get mode 0600 back",
    arguments: [0o770, 0o2770, 0o2775] as [mode_t])
  func groupWritable(mode: mode_t) throws {
    try prepareStored()
    for name in temporary.names { chmod(temporary.path(name), 0o660) }
    chmod(temporary.path, mode)
    let directory = try StorageDirectory.open(path: temporary.path)
    #expect(directory.writeProblem == nil)
    #expect(try directory.bytes(.live) == image(1))
    let lock = try directory.locked()
    #expect(try lock.findLedger() != nil)
    try lock.commit(image(2))
    #expect(try directory.bytes(.previous) == image(1))
    #expect(try temporary.mode() == 0o700)
    for name in temporary.names { #expect(try temporary.mode(name) == 0o600, "\(name)") }
    #expect(directory.repairs == .modes)
    #expect(try StorageDirectory.open(path: temporary.path).repairs == [])
  }

  @Test("a lock file that its group can write gets mode 0600 back")
  func groupWritableLock() throws {
    try prepareStored()
    chmod(temporary.path("lock"), 0o660)
    let directory = try StorageDirectory.open(path: temporary.path)
    try directory.locked().commit(image(2))
    #expect(try temporary.mode("lock") == 0o600)
    #expect(directory.repairs == .modes)
  }

  @Test("a directory whose group can write it keeps its mode and is not used if it has files of other programs")
  func sharedDirectory() throws {
    try temporary.write("mail", [1])
    chmod(temporary.path, 0o2770)
    #expect(try StorageDirectory.open(path: temporary.path).writeProblem?.code == .permission)
    #expect(try temporary.mode() == 0o2770)
  }

  @Test("a directory whose mode cannot be changed is not used")
  func unchangeableMode() throws {
    chmod(temporary.path, 0o770)
    var calls = SystemCalls.real
    calls.files.changeMode = { _, _ in -EPERM }
    #expect(try StorageDirectory.open(path: temporary.path, calls: calls).writeProblem?.code == .permission)
  }

  @Test("a storage directory of another user is not used", .enabled(if: geteuid() == 0, "only root can give one away"))
  func foreignOwner() throws {
    chown(temporary.path, 65534, 65534)
    let words = "\(temporary.path) belongs to user 65534, and not to user 0"
    #expect(try StorageDirectory.open(path: temporary.path).writeProblem == RemoraError(.permission, words))
  }

  @Test(
    "a directory that a process of another user has left is not used, and all data is in memory",
    .enabled(if: geteuid() == 0, "needs two users"), .forks, arguments: [0o700, 0o2770, 0o777] as [mode_t])
  func foreignPrivateOwner(mode: mode_t) throws {
    mkdir(temporary.path("mine"), 0o700)
    chmod(temporary.path("mine"), mode)
    chmod(temporary.path, 0o755)
    let path = temporary.path("mine")
    let status = inForkedChild {
      guard test_become_nobody() == 0 else { return 2 }
      guard let directory = try? StorageDirectory.open(path: path) else { return 3 }
      guard directory.writeProblem?.code == .permission else { return 4 }
      return code { try directory.locked().commit(image(1)) } == .permission ? 0 : 1
    }
    #expect(status == 0)
    #expect(try temporary.mode("mine") == mode)
  }

  @Test(
    "if the storage directory cannot be created, all data is in memory",
    arguments: [EACCES, EROFS, ENOSPC, EDQUOT, EIO])
  func cannotBeMade(number: Int32) throws {
    let faults = FaultySystemCalls()
    faults.arm([1: .fails(errno: number)])
    let directory = try StorageDirectory.open(path: temporary.path("new"), calls: faults.calls)
    let problem = try #require(directory.writeProblem)
    #expect(problem.code == .storage)
    #expect(problem.message.contains(errorText(number)))
    #expect(try directory.readImage(source, .live) == nil)
    #expect(directory.readLedger(source) == SourceLedger())
    let lock = try directory.locked()
    #expect(try directory.tryLock(source) == nil)
    #expect(throws: problem) { try lock.commit(image(1)) }
    #expect(throws: problem) { try lock.promoteStaged() }
    #expect(throws: problem) { try lock.removeImages() }
    #expect(throws: problem) { try lock.writeLedger(SourceLedger()) }
    #expect(throws: problem) { try directory.updateServerLedger(server) { $0.backoff.untilMs = 1 } }
    #expect(DirectorySweep(directory).run(nowMs: .max) == 0)
    #expect(temporary.names.isEmpty)
  }

  @Test("a storage directory without write permission is used read-only, and the reason is reported", .forks)
  func unwritable() throws {
    try prepareStored()
    if geteuid() == 0 { chown(temporary.path, 65534, 65534) }
    for name in temporary.names where geteuid() == 0 { chown(temporary.path(name), 65534, 65534) }
    chmod(temporary.path, 0o500)
    let path = temporary.path
    let status = inForkedChild {
      if geteuid() == 0, test_become_nobody() != 0 { return 2 }
      return readsButDoesNotWrite(path, expecting: image(1))
    }
    chmod(temporary.path, 0o700)
    #expect(status == 0)
  }

  @Test(
    "a storage directory on a read-only file system is used read-only, and the reason is reported",
    .enabled(if: geteuid() == 0, "only root can mount"), .forks)
  func readOnlyFileSystem() throws {
    let path = temporary.path
    let status = inForkedChild {
      if test_mount_read_only(path) != 0 { return 77 }
      return readsButDoesNotWrite(path, expecting: nil)
    }
    #expect(status == 0 || status == 77)
  }

  private func prepareStored() throws {
    let lock = try StorageDirectory.open(path: temporary.path).locked()
    try lock.commit(image(1))
    try lock.writeLedger(SourceLedger())
  }
}

/// For a forked child: 0 when the directory is read and refuses to be written, else where it went wrong.
private func readsButDoesNotWrite(_ path: String, expecting stored: ImageBytes?) -> Int32 {
  guard let directory = try? StorageDirectory.open(path: path) else { return 3 }
  guard directory.writeProblem?.code == .storage else { return 4 }
  guard let bytes = try? directory.bytes(.live) ?? image(0), bytes == stored ?? image(0) else { return 5 }
  guard let lock = try? directory.locked() else { return 6 }
  guard code(of: { try lock.commit(image(2)) }) == .storage else { return 7 }
  return (try? directory.bytes(.live)) == stored ? 0 : 8
}
