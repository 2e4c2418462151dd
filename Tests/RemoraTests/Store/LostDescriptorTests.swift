// SPDX-License-Identifier: Apache-2.0
//
// A host that closes all descriptors, as a daemon does, and opens other files: they get the numbers of the library's.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("A program that closes the library's file descriptors")
struct LostDescriptorTests {
  private let temporary: TemporaryDirectory
  private let decoy: TemporaryDirectory
  private let directory: StorageDirectory

  init() throws {
    temporary = try TemporaryDirectory()
    decoy = try TemporaryDirectory()
    chmod(decoy.path, 0o1777)
    directory = try StorageDirectory.open(path: temporary.path)
  }

  @Test("the storage directory is opened again by its path, and nothing is written to the directory with its number")
  func directoryLost() throws {
    let number = try replaceDescriptor(of: ".", by: decoy.path)
    try directory.locked().commit(image(1))
    _ = directory.hashSeed
    try directory.updateServerLedger(server) { $0.backoff.untilMs = 1 }
    #expect(try directory.bytes(.live) == image(1))
    #expect(directory.repairs == .descriptor)
    #expect(decoy.names.isEmpty)
    #expect(try StorageDirectory.open(path: temporary.path).bytes(.live) == image(1))
    #expect(fcntl(number, F_GETFD) >= 0)
    close(number)
  }

  @Test("the number of a storage directory that the program has closed is not closed again")
  func numberOfTheHost() throws {
    let path = temporary.path("own")
    var own: StorageDirectory? = try StorageDirectory.open(path: path)
    let number = try replaceDescriptor(of: "own", by: decoy.path)
    #expect(own?.writeProblem == nil)
    own = nil
    #expect(fcntl(number, F_GETFD) >= 0)
    close(number)
  }

  @Test("if the path no longer leads to the directory whose descriptor was closed, an operation is a storage error")
  func pathLost() throws {
    let lock = try directory.locked()
    let number = try replaceDescriptor(of: ".", by: decoy.path)
    rename(temporary.path, temporary.path + ".moved")
    mkdir(temporary.path, 0o700)
    defer {
      test_remove_tree(temporary.path + ".moved")
      close(number)
    }
    #expect(code { try lock.commit(image(1)) } == .storage)
    #expect(directory.isReplaced)
    #expect(decoy.names.isEmpty)
  }

  @Test("a lock whose file was closed is lost, and the next lock excludes other processes again", .forks)
  func lockLost() throws {
    let lock = try directory.locked()
    try decoy.write("file", [])
    let number = try replaceDescriptor(of: "lock", by: decoy.path("file"))
    #expect(code { try lock.commit(image(1)) } == .storage)
    #expect(!lock.isHeld)
    let next = try directory.locked()
    lock.unlock()
    try next.commit(image(2))
    #expect(test_try_lock_in_child(temporary.path("lock"), source.lockByte) == EAGAIN)
    #expect(fcntl(number, F_GETFD) >= 0)
    close(number)
  }

  @Test("a ledger whose file was closed is opened again, and the file with its number is not changed")
  func ledgerLost() throws {
    var ledger = SourceLedger()
    let lock = try directory.locked()
    try lock.writeLedger(ledger)
    try decoy.write("file", [1, 2, 3])
    let held = try replaceDescriptor(of: StoredFile.ledger(source).fileName, by: decoy.path("file"))
    ledger.floor = 7
    try lock.writeLedger(ledger)
    lock.unlock()
    let idle = try replaceDescriptor(of: StoredFile.ledger(source).fileName, by: decoy.path("file"))
    ledger.floor = 8
    try directory.locked().writeLedger(ledger)
    #expect(try directory.findLedger(source)?.floor == 8)
    #expect(decoy.read("file") == [1, 2, 3])
    close(held)
    close(idle)
  }

  @Test("an incomplete attachment whose file was closed is not written any more, and the next attempt opens it again")
  func partLost() throws {
    let logo = try #require(AttachmentName(digest: Array(0..<32)))
    let lock = try #require(try directory.tryLock(logo.storageName))
    let part = try lock.openPart(logo)
    try decoy.write("file", [])
    let number = try replaceDescriptor(of: StoredFile.part(logo).fileName, by: decoy.path("file"))
    let bytes: [UInt8] = [1]
    #expect(bytes.withUnsafeBytes { part.write($0, at: 0) } < 0)
    let next = try lock.openPart(logo)
    #expect(bytes.withUnsafeBytes { next.write($0, at: 0) } == 0)
    #expect(decoy.read("file") == [])
    close(number)
  }

  @Test("the descriptor for an event loop is neither written nor closed after the program has closed it")
  func wakeupLost() throws {
    try decoy.write("file", [])
    let wakeup = try Wakeup()
    let other = try Wakeup()
    let file = open(decoy.path("file"), O_RDWR)
    dup2(file, wakeup.descriptor)
    close(file)
    wakeup.wake()
    #expect(!wakeup.isOpen)
    #expect(decoy.read("file") == [])
    dup2(other.descriptor, wakeup.descriptor)
    wakeup.wake()
    wakeup.close()
    var waiting = pollfd(fd: other.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, 0) == 0)
    #expect(fcntl(wakeup.descriptor, F_GETFD) >= 0)
    close(wakeup.descriptor)
    other.close()
  }

  /// Closes the descriptor of a file that the library keeps open, and opens another file with its number.
  private func replaceDescriptor(of name: String, by path: String) throws -> Int32 {
    var wanted = stat()
    guard stat(temporary.path(name), &wanted) == 0 else {
      throw FileFailure(action: "stat", path: temporary.path(name), number: errno)
    }
    for number in 3..<Int32(1024) {
      var status = stat()
      guard fstat(number, &status) == 0, status.st_ino == wanted.st_ino, status.st_dev == wanted.st_dev else {
        continue
      }
      let other = open(path, name == "." || name == "own" ? O_RDONLY : O_RDWR)
      defer { close(other) }
      guard other >= 0, dup2(other, number) == number else { break }
      return number
    }
    throw FileFailure(action: "find", path: temporary.path(name), number: EBADF)
  }
}
