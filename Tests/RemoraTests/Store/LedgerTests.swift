// SPDX-License-Identifier: Apache-2.0
//
// Ledgers: two slots in turn, and no state but a whole one.

import Glibc
import Testing

@testable import Remora

@Suite("Ledger (a file with the times, the ETag and the highest accepted version of a source)")
final class LedgerTests: StoreSuite {
  private let file = StoredFile.ledger(source).fileName

  private func ledger(_ number: UInt64) -> SourceLedger {
    var ledger = SourceLedger()
    ledger.generation = number
    ledger.epoch = .max - 1
    ledger.floor = -Int64(number)
    ledger.lastAttemptMs = .max
    ledger.lastSuccessMs = .min
    ledger.etag = "W/\"größer-\(number)\""
    ledger.etagURL = 5
    ledger.etagImage = 6
    ledger.jitter = .max - 7
    ledger.failures = 8
    ledger.freshUntilMs = 9
    ledger.ignoresSince = true
    ledger.signature = KnownSignature(hash: 10, validUntilMs: .max - 11)
    ledger.maxAgeMs = 10
    return ledger
  }

  @Test("every field of a ledger is read back, even after the directory is opened again")
  func roundTrip() throws {
    #expect(directory.readLedger(source) == SourceLedger())
    try directory.locked().writeLedger(ledger(1))
    #expect(directory.readLedger(source) == ledger(1))
    #expect(try StorageDirectory.open(path: temporary.path).readLedger(source) == ledger(1))
    #expect(directory.readLedger(otherSource) == SourceLedger())
  }

  /// What another process has: locks live as long as it does.
  private static let anothersLockFiles = LockFiles()

  @Test("the next holder of the lock reads the ledger that another process wrote or replaced")
  func nextHolder() throws {
    let path = "\(temporary.path)/\(file)"
    try directory.locked().writeLedger(ledger(1))
    #expect(try directory.locked().findLedger() == ledger(1))
    // As another process would: in place, and not through this directory object.
    let another = try StorageDirectory.open(path: temporary.path, lockFiles: Self.anothersLockFiles)
    try another.locked().writeLedger(ledger(2))
    #expect(try directory.locked().findLedger() == ledger(2))
    #expect(rename(path, path + ".old") == 0)
    #expect(unlink(path + ".old") == 0)
    #expect(try directory.locked().findLedger() == nil)
    try another.locked().writeLedger(ledger(3))
    #expect(try directory.locked().findLedger() == ledger(3))
  }

  @Test("each write of a ledger overwrites the older of its two copies, and the file does not grow")
  func alternates() throws {
    let lock = try directory.locked()
    var before = [UInt8](repeating: 0, count: 1024)
    for number in UInt64(1)...6 {
      try lock.writeLedger(ledger(number))
      var after = try #require(temporary.read(file))
      after += [UInt8](repeating: 0, count: 1024 - after.count)
      let kept = number % 2 == 1 ? 512..<1024 : 0..<512
      #expect(after[kept] == before[kept])
      #expect(after.count == 1024)
      #expect(directory.readLedger(source) == ledger(number))
      before = after
    }
  }

  @Test("a write of a ledger that is interrupted at any byte leaves the previous copy readable", arguments: [0, 1])
  func torn(slot: Int) throws {
    let lock = try directory.locked()
    for number in UInt64(1)...UInt64(3 + slot) { try lock.writeLedger(ledger(number)) }
    let newest = UInt64(3 + slot)
    let whole = try #require(temporary.read(file))
    let place = slot * 512
    try lock.writeLedger(ledger(newest + 1))
    let next = try #require(temporary.read(file))
    let written = 512 - place..<1024 - place
    for end in 0...512 {
      var bytes = whole
      bytes[written.lowerBound..<written.lowerBound + end] = next[written.lowerBound..<written.lowerBound + end]
      let isWhole = bytes == next
      try temporary.write(file, bytes)
      #expect(directory.readLedger(source) == ledger(isWhole ? newest + 1 : newest), "torn at \(end)")
    }
  }

  @Test("if a bit of the newer copy in a ledger file flips, the older copy is read")
  func flipped() throws {
    let lock = try directory.locked()
    for number in UInt64(1)...2 { try lock.writeLedger(ledger(number)) }
    let whole = try #require(temporary.read(file))
    for bit in 0..<512 * 8 {
      var bytes = whole
      bytes[512 + bit / 8] ^= 1 << (bit % 8)
      try temporary.write(file, bytes)
      #expect(directory.readLedger(source) == ledger(1))
    }
  }

  @Test(
    "a ledger file with invalid content is read as an empty ledger, and is overwritten",
    arguments: [0, 1, 511, 512, 1023, 1024, 5000])
  func garbage(count: Int) throws {
    try temporary.write(file, (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    #expect(directory.readLedger(source) == SourceLedger())
    try directory.locked().writeLedger(ledger(1))
    #expect(directory.readLedger(source) == ledger(1))
  }

  @Test("a ledger stores an ETag of up to 255 bytes, and drops a longer one")
  func etagLimit() throws {
    let lock = try directory.locked()
    var ledger = ledger(1)
    ledger.etag = String(repeating: "e", count: 255)
    try lock.writeLedger(ledger)
    #expect(directory.readLedger(source) == ledger)
    ledger.etag += "e"
    try lock.writeLedger(ledger)
    ledger.etag = ""
    #expect(directory.readLedger(source) == ledger)
  }

  @Test("a ledger file of a later format version is not changed")
  func laterFormat() throws {
    var bytes = LedgerSlot.encode(ledger(1), sequence: 1)
    bytes[8] = 2
    let checksum = bytes.withUnsafeBytes { hash64(UnsafeRawBufferPointer(rebasing: $0[..<504])) }
    bytes.withUnsafeMutableBytes { $0.storeBytes(of: checksum, toByteOffset: 504, as: UInt64.self) }
    try temporary.write(file, bytes)
    #expect(directory.readLedger(source) == SourceLedger())
    #expect(code { try directory.locked().writeLedger(ledger(2)) } == .storage)
    #expect(temporary.read(file) == bytes)
  }

  @Test("the ledger of a server (its backoff) is not accepted as the ledger of a source")
  func kinds() throws {
    try directory.updateServerLedger(server) { $0.backoff.untilMs = 9 }
    rename(temporary.path(StoredFile.serverLedger(server).fileName), temporary.path(file))
    #expect(directory.readLedger(source) == SourceLedger())
  }

  @Test("the ledger of a server (its backoff) is changed in place, and not written if nothing changes")
  func serverLedger() throws {
    try directory.updateServerLedger(server) { $0.backoff = Backoff(lengthMs: 5, nowMs: 4) }
    try directory.updateServerLedger(server) { $0.clockFloorMs = 7 }
    let ledger = try #require(directory.readServerLedger(server))
    #expect((ledger.backoff.fromMs, ledger.backoff.untilMs) == (4, 9))
    #expect(ledger.clockFloorMs == 7)
    let file = StoredFile.serverLedger(server).fileName
    let before = temporary.read(file)
    try directory.updateServerLedger(server) { $0.clockFloorMs = 7 }
    #expect(temporary.read(file) == before)
  }

  @Test("a process that has not seen another process's reset cannot write its older ledger over that reset")
  func resetIsKept() throws {
    let lock = try directory.locked()
    try lock.writeLedger(ledger(1))
    var before = ledger(2)
    before.epoch -= 1
    #expect(code { try lock.writeLedger(before) } == .storage)
    #expect(directory.readLedger(source) == ledger(1))
  }

  @Test("a write of a ledger that fails leaves either the old or the new ledger")
  func faults() throws {
    for accident in [Accident.fails(errno: EIO), .fails(errno: ENOSPC), .fails(errno: EINTR), .isShort] {
      var call = 0
      var isClean = false
      while !isClean {
        call += 1
        let faults = FaultySystemCalls()
        let faulty = try StorageDirectory.open(path: temporary.path, calls: faults.calls)
        let lock = try faulty.locked()
        try lock.writeLedger(ledger(1))
        faults.arm([call: accident])
        let failure = code {
          try lock.writeLedger(ledger(2))
          try lock.syncLedger()
        }
        isClean = faults.callCount < call
        let after = directory.readLedger(source)
        #expect(failure == nil ? after == ledger(2) : [ledger(1), ledger(2)].contains(after))
        if case .fails(let number) = accident, number != EINTR {
          #expect((failure == nil) == isClean, "call \(call) of \(faults.log)")
        } else {
          #expect(failure == nil)
        }
      }
    }
  }
}
