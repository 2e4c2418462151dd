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
    "a storage directory that other users can write is refused, and the error names its mode",
    arguments: [0o770, 0o702, 0o777] as [mode_t])
  func writableByOthers(mode: mode_t) throws {
    chmod(temporary.path, mode)
    let words = "\(temporary.path) has mode 0\(String(mode, radix: 8)), so that other users can write to it"
    #expect(throws: RemoraError(.permission, words)) { try StorageDirectory.open(path: temporary.path) }
  }

  @Test("a storage directory of another user is refused", .enabled(if: geteuid() == 0, "only root can give one away"))
  func foreignOwner() throws {
    chown(temporary.path, 65534, 65534)
    let words = "\(temporary.path) belongs to user 65534, and not to user 0"
    #expect(throws: RemoraError(.permission, words)) { try StorageDirectory.open(path: temporary.path) }
  }

  @Test(
    "a private directory of another user is refused, and not treated as read-only",
    .enabled(if: geteuid() == 0, "needs two users"), .forks)
  func foreignPrivateOwner() throws {
    mkdir(temporary.path("mine"), 0o700)
    chmod(temporary.path, 0o755)
    let path = temporary.path("mine")
    let status = inForkedChild {
      guard test_become_nobody() == 0 else { return 2 }
      return code { _ = try StorageDirectory.open(path: path) } == .permission ? 0 : 1
    }
    #expect(status == 0)
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
    #expect(throws: problem) { try directory.updateServerLedger(server) { $0.backoffUntilMs = 1 } }
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
