// SPDX-License-Identifier: Apache-2.0
//
// The stored image of packaged data: replaced by the next one, swept when it is no longer used, whole after a kill.

import Glibc
import Testing

@testable import Remora

@Suite("Files with the binary form of packaged data (a document that is shipped with the program)")
final class PackagedFileTests: StoreSuite {
  @Test("the stored form of packaged data is found by the digest of the data, and replaces the previous stored form")
  func replaced() throws {
    let first = try directory.storePackaged(1)
    #expect(withExtendedLifetime(first) { ImageBytes(first.bytes) } == stored(1))
    #expect(try directory.packaged(1) == stored(1))
    #expect(try directory.packaged(2) == nil)
    _ = try directory.storePackaged(2)
    #expect(try directory.packaged(1) == nil)
    #expect(try directory.packaged(2) == stored(2))
    // The mapping of a removed file stays valid.
    #expect(withExtendedLifetime(first) { ImageBytes(first.bytes) } == stored(1))
  }

  @Test("the stored forms of the packaged data of two sources do not replace each other")
  func twoSources() throws {
    _ = try directory.storePackaged(1)
    _ = try directory.storePackaged(2, of: otherSource)
    #expect(try directory.packaged(1) == stored(1))
    #expect(try directory.packaged(2, of: otherSource) == stored(2))
  }

  @Test("the stored form of packaged data can be written only with the lock for packaged data")
  func otherLock() throws {
    for name in [source, source.ofSeed, otherSource.ofPackaged] {
      let lock = try directory.locked(name)
      #expect(code { _ = try lock.commitPackaged(try parts(1), digest: digest(1), of: source) } == .internal)
    }
    #expect(temporary.names == ["lock"])
  }

  @Test("a stored form that is writable by other users, or that is a link, is not read and is replaced")
  func untrusted() throws {
    let file = temporary.path(StoredFile.packaged(source, digest: digest(1)).fileName)
    let spoilers: [() -> Void] = [
      { chmod(file, 0o666) },
      { link(file, file + ".second") },
      {
        unlink(file)
        symlink("/dev/null", file)
      },
    ]
    for spoil in spoilers {
      _ = try directory.storePackaged(1)
      spoil()
      #expect(code { _ = try directory.packaged(1) } == .permission)
    }
    _ = try directory.storePackaged(1)
    #expect(try directory.packaged(1) == stored(1))
  }

  @Test("a stored form is deleted after 30 days without use, even if its source is still used")
  func swept() throws {
    let (now, day) = (SystemClock().nowMs, dayMs)
    _ = try directory.storePackaged(1)
    try directory.locked().commit(image(1))
    let later = now + 40 * day
    directory.noteUse(of: source, nowMs: later)
    var calls = SystemCalls.real
    calls.nowMs = { later - 29 * day }
    _ = try StorageDirectory.open(path: temporary.path, calls: calls).readPackaged(source, digest: digest(1))
    #expect(DirectorySweep(directory).run(nowMs: later) == 0)
    #expect(DirectorySweep(directory).run(nowMs: later + 2 * day, unusedMs: nil) == 0)
    #expect(DirectorySweep(directory).run(nowMs: later + 2 * day) == 1)
    #expect(try directory.packaged(1) == nil)
    #expect(try directory.bytes(.live) == image(1))
  }

  @Test("after a kill at any system call, the old form, the new one or none exists; temporary files are deleted later")
  func killed() throws {
    for call in 1...20 {
      let trial = try Trial()
      let failure = trial.run([call: .crash(.kept)])
      let after = try trial.reopened()
      let found = try [1, 2].compactMap { try after.packaged($0) }
      #expect(found.count <= 1, "call \(call) of \(trial.faults.log)")
      #expect(found.allSatisfy { $0 == stored(1) || $0 == stored(2) }, "call \(call) of \(trial.faults.log)")
      if failure == nil { #expect(found == [stored(2)]) }
      DirectorySweep(after).run(nowMs: SystemClock().nowMs)
      #expect(!trial.temporary.names.contains { $0.hasSuffix(".tmp") })
      _ = try after.storePackaged(3)
      #expect(try after.packaged(3) == stored(3))
      if trial.faults.callCount < call { return }
    }
    Issue.record("storing makes more than 20 calls")
  }

  @Test("if a system call fails, no temporary file remains, and the old form stays until the new one is written")
  func failures() throws {
    for call in 1...20 {
      let trial = try Trial()
      let failure = trial.run([call: .fails(errno: ENOSPC)])
      let isClean = trial.faults.callCount < call
      #expect(failure?.code == (isClean ? nil : .storage), "call \(call) of \(trial.faults.log)")
      #expect(!trial.temporary.names.contains { $0.hasSuffix(".tmp") }, "call \(call) of \(trial.faults.log)")
      let isWritten = trial.faults.log.contains("rename")
      if !isClean, !isWritten { #expect(try trial.reopened().packaged(1) == stored(1)) }
      if isClean { return }
    }
    Issue.record("storing makes more than 20 calls")
  }

  @Test("the stored form of packaged data is not synced to disk, because it can be created again")
  func notSynced() throws {
    let trial = try Trial()
    #expect(trial.run([:]) == nil)
    #expect(trial.faults.log == ["open", "write", "write", "remove", "rename"])
  }
}

/// Stores image 2 over image 1 with accidents.
private struct Trial {
  let temporary: TemporaryDirectory
  let faults = FaultySystemCalls()
  private let directory: StorageDirectory
  private let lock: SourceLock

  init() throws {
    temporary = try TemporaryDirectory()
    directory = try StorageDirectory.open(path: temporary.path, calls: faults.calls)
    _ = try directory.storePackaged(1)
    lock = try directory.locked(source.ofPackaged)
  }

  func run(_ accidents: [Int: Accident]) -> RemoraError? {
    faults.arm(accidents)
    do {
      _ = try lock.commitPackaged(try parts(2), digest: digest(2), of: source)
      return nil
    } catch {
      return error as? RemoraError
    }
  }

  /// The directory as a new process finds it.
  func reopened() throws -> StorageDirectory {
    faults.disarm()
    lock.unlock()
    return try StorageDirectory.open(path: temporary.path)
  }
}

/// The digest that a test stores an image under.
private func digest(_ byte: UInt8) -> String {
  hash128Hex(UnsafeRawBufferPointer(start: nil, count: 0)).dropLast() + "\(byte)"
}

private func parts(_ byte: UInt8) throws -> [ImageBuffer] {
  [try RawImage(image(byte).bytes).buffer, try RawImage([byte, 99]).buffer]
}

/// The file that `parts` make.
private func stored(_ byte: UInt8) -> ImageBytes { ImageBytes(image(byte).bytes + [byte, 99]) }

extension StorageDirectory {
  fileprivate func storePackaged(_ byte: UInt8, of name: StorageName = source) throws -> ImageBuffer {
    try locked(name.ofPackaged).commitPackaged(try parts(byte), digest: digest(byte), of: name)
  }

  fileprivate func packaged(_ byte: UInt8, of name: StorageName = source) throws -> ImageBytes? {
    try readPackaged(name, digest: digest(byte)).map { ImageBytes($0.bytes) }
  }
}
