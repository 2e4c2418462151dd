// SPDX-License-Identifier: Apache-2.0
//
// Ledgers on disk: two slots, of which each write replaces the older one. Read by any process, without a lock.
// Invariant: a write that is interrupted at any point leaves the previous state.

internal import Glibc

extension StorageDirectory {
  /// Reads the ledger of a source; nil if it is absent or damaged.
  ///
  /// Costs one open, one fstat, one read and one close. No descriptor is kept, so a replaced or removed file is
  /// noticed.
  ///
  /// - Throws: `.storage` or `.permission` if it cannot be read at present.
  package func findLedger(_ name: StorageName) throws(RemoraError) -> SourceLedger? {
    try readSlots(.ledger(name))?.ledger
  }

  /// Reads the ledger of a server; nil if there is none, or if it cannot be read. The next write meets the same problem
  /// and reports it.
  package func readServerLedger(_ name: StorageName) -> ServerLedger? { (try? readSlots(.serverLedger(name)))?.ledger }

  /// Changes the ledger of a server.
  ///
  /// Sources share the ledger without a lock: of two simultaneous writes, the last one wins.
  ///
  /// - Throws: `.storage` or `.permission`; the ledger on disk is unchanged.
  package func updateServerLedger(
    _ name: StorageName, _ change: (inout ServerLedger) -> Void
  ) throws(RemoraError) {
    _ = try writableNumber()
    let before = readServerLedger(name) ?? ServerLedger()
    var after = before
    change(&after)
    guard after != before else { return }
    let file = StoredFile.serverLedger(name)
    guard let descriptor = try openTrusted(file, O_RDWR | O_CREAT) else { throw failure("create", file, -ENOENT) }
    var slots: Slots<ServerLedger> = try readSlots(descriptor, file)
    try write(after, over: &slots, descriptor, file)
  }

  /// Writes a ledger to the older slot.
  fileprivate func write<Ledger: LedgerFields>(
    _ ledger: Ledger, over slots: inout Slots<Ledger>, _ descriptor: borrowing FileDescriptor, _ file: StoredFile
  ) throws(RemoraError) {
    guard !slots.isNewer else {
      throw RemoraError(
        .storage, "\(path(of: file)) was written by a newer version of Remora, so it is not changed")
    }
    // A process that could not read the file does not know of a reset.
    guard slots.ledger.map({ ledger.mayFollow($0) }) ?? true else {
      throw RemoraError(.storage, "\(path(of: file)) is not changed, because another process has reset the source")
    }
    let bytes = LedgerSlot.encode(ledger, sequence: slots.sequence &+ 1)
    let written = bytes.withUnsafeBytes { descriptor.write($0, at: slots.older * LedgerSlot.size, calls) }
    guard written == 0 else { throw failure("write", file, written) }
    slots.note(ledger, bytes)
  }

  private func readSlots<Ledger: LedgerFields>(_ file: StoredFile) throws(RemoraError) -> Slots<Ledger>? {
    guard let descriptor = try openTrusted(file, O_RDONLY) else { return nil }
    return try readSlots(descriptor, file)
  }

  /// - Parameter known: The result of an earlier read or write, if available: unchanged bytes are not decoded again.
  fileprivate func readSlots<Ledger: LedgerFields>(
    _ descriptor: borrowing FileDescriptor, _ file: StoredFile, known: Slots<Ledger>? = nil
  ) throws(RemoraError) -> Slots<Ledger> {
    var bytes = [UInt8](repeating: 0, count: 2 * LedgerSlot.size)
    let count = bytes.withUnsafeMutableBytes { descriptor.read(into: $0, at: 0, calls) }
    if count < 0 { throw failure("read", file, Int32(clamping: count)) }
    if let known, known.bytes == bytes { return known }
    return Slots(bytes)
  }
}

/// A ledger that is open while the lock of its source is held. Only the holder writes it, so it is read once. It stays
/// open for the next holder in this process.
///
/// `@unchecked Sendable`: only the holder of the lock uses it.
final class HeldLedger: @unchecked Sendable {
  let name: StorageName
  fileprivate let file: FileDescriptor
  fileprivate var slots: Slots<SourceLedger>

  fileprivate init(_ name: StorageName, _ file: consuming FileDescriptor, _ slots: Slots<SourceLedger>) {
    self.name = name
    var file = file
    file.keep()
    self.file = file
    self.slots = slots
  }
}

extension SourceLock {
  /// Reads the ledger of the source; see `StorageDirectory.findLedger`.
  package func findLedger() throws(RemoraError) -> SourceLedger? {
    guard writeProblem == nil, isHeld else { return try directory.findLedger(name) }
    return try heldLedger(isCreated: false)?.slots.ledger
  }

  /// Writes the ledger of the source, without syncing: a power failure may undo that.
  ///
  /// - Throws: `.storage` or `.permission`; readers then see the ledger as before.
  package func writeLedger(_ ledger: SourceLedger) throws(RemoraError) {
    _ = try requireWritable()
    guard let held = try heldLedger(isCreated: true) else { throw directory.failure("create", .ledger(name), -ENOENT) }
    do throws(RemoraError) {
      try directory.write(ledger, over: &held.slots, held.file, .ledger(name))
    } catch {
      // The slot may be partially written, so the next call reads the file again.
      openLedger = nil
      throw error
    }
  }

  private func heldLedger(isCreated: Bool) throws(RemoraError) -> HeldLedger? {
    if let openLedger, openLedger.file.number >= 0 { return openLedger }
    let file = StoredFile.ledger(name)
    if let idle = directory.lockFiles.takeIdleLedger(name, of: directory.locks), isInPlace(idle) {
      idle.slots = try directory.readSlots(idle.file, file, known: idle.slots)
      openLedger = idle
      return idle
    }
    guard let descriptor = try directory.openTrusted(file, isCreated ? O_RDWR | O_CREAT : O_RDWR) else { return nil }
    let slots: Slots<SourceLedger> = try directory.readSlots(descriptor, file)
    let held = HeldLedger(name, descriptor, slots)
    openLedger = held
    return held
  }

  /// Whether a ledger that stayed open has not been removed or replaced since.
  private func isInPlace(_ ledger: HeldLedger) -> Bool {
    let status = directory.status(of: ledger.file.number)
    return status.failure == 0 && status.links > 0 && status.fileProblem(of: directory.owner) == nil
  }

  /// Syncs the ledger to disk. Only a reset needs that; everything else can be recovered from the images.
  ///
  /// - Throws: `.storage` or `.permission`; readers see the written ledger in any case.
  package func syncLedger() throws(RemoraError) {
    let number = try requireWritable()
    guard let held = try heldLedger(isCreated: false) else {
      throw directory.failure("sync", .ledger(name), -ENOENT)
    }
    let synced = uninterrupted { directory.calls.files.sync(held.file.number) }
    guard synced == 0 else { throw directory.failure("sync", .ledger(name), synced) }
    try directory.syncDirectory(number)
  }
}

/// The combined content of the two slots of a file.
private struct Slots<Ledger: LedgerFields> {
  /// The ledger of the newest valid slot, if any.
  private(set) var ledger: Ledger?
  /// The sequence number of that slot, or 0.
  private(set) var sequence: UInt64 = 0
  /// The slot to write next: 0 or 1.
  private(set) var older = 0
  /// Whether a slot has a later format.
  private(set) var isNewer = false
  private(set) var bytes: [UInt8]

  /// Updates this value after a ledger was written to the older slot.
  mutating func note(_ written: Ledger, _ slot: [UInt8]) {
    bytes.replaceSubrange(older * LedgerSlot.size..<(older + 1) * LedgerSlot.size, with: slot)
    ledger = written
    sequence &+= 1
    older = 1 - older
  }

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    for (index, slot) in [bytes[..<LedgerSlot.size], bytes[LedgerSlot.size...]].enumerated() {
      let content: LedgerSlot.Content<Ledger> = LedgerSlot.decode(slot)
      switch content {
      case .invalid: break
      case .newer: isNewer = true
      case .valid(let sequence, let ledger):
        if self.ledger != nil, sequence <= self.sequence { break }
        self.ledger = ledger
        self.sequence = sequence
        older = 1 - index
      }
    }
  }
}
