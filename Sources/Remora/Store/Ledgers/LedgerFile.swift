// SPDX-License-Identifier: Apache-2.0
//
// Ledgers on disk: two slots, written in turn, the older one first to go. Read by anybody at any time, without a lock.
// Invariant: a write that is cut short anywhere leaves the state before it.

internal import Glibc

extension StorageDirectory {
  /// The ledger of a source; nil when there is none, or what is there is damaged.
  ///
  /// Costs one open, one status, one read and one close; no descriptor is kept, so that a file that was replaced
  /// or removed is seen as such.
  ///
  /// - Throws: `.storage` or `.permission` when it cannot be read now.
  package func findLedger(_ name: StorageName) throws(RemoraError) -> SourceLedger? {
    try readSlots(.ledger(name))?.ledger
  }

  /// The ledger of a server; the default when there is none that can be read. Why not is reported by the next write, which
  /// meets the same problem.
  package func readServerLedger(_ name: StorageName) -> ServerLedger {
    (try? readSlots(.serverLedger(name)))?.ledger ?? ServerLedger()
  }

  /// Changes the ledger of a server.
  ///
  /// Sources of one server share it and take no lock for it: of two writes at the same moment the last one stays.
  ///
  /// - Throws: `.storage` or `.permission`; the ledger on disk is then what it was.
  package func updateServerLedger(
    _ name: StorageName, _ change: (inout ServerLedger) -> Void
  ) throws(RemoraError) {
    _ = try writableNumber()
    let before = readServerLedger(name)
    var after = before
    change(&after)
    guard after != before else { return }
    let file = StoredFile.serverLedger(name)
    guard let descriptor = try openTrusted(file, O_RDWR | O_CREAT) else { throw failure("create", file, -ENOENT) }
    var slots: Slots<ServerLedger> = try readSlots(descriptor, file)
    try write(after, over: &slots, descriptor, file)
  }

  /// Writes a ledger over its older slot.
  fileprivate func write<Ledger: LedgerFields>(
    _ ledger: Ledger, over slots: inout Slots<Ledger>, _ descriptor: borrowing FileDescriptor, _ file: StoredFile
  ) throws(RemoraError) {
    guard !slots.isNewer else {
      throw RemoraError(.storage, "\(path(of: file)) was written by a later version")
    }
    // Who could not read the file does not know of a reset.
    guard slots.ledger.map({ ledger.mayFollow($0) }) ?? true else {
      throw RemoraError(.storage, "\(path(of: file)) was reset by another process")
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

  /// - Parameter known: What an earlier read or write left there, if it is known: the same bytes need not be decoded.
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

/// A ledger that is open while the lock of its source is held: nobody else writes it meanwhile, and it is read once. It
/// stays open for the next holder in this process.
///
/// `@unchecked Sendable`: only the holder of the lock uses it.
final class HeldLedger: @unchecked Sendable {
  let name: StorageName
  fileprivate let file: FileDescriptor
  fileprivate var slots: Slots<SourceLedger>

  fileprivate init(_ name: StorageName, _ file: consuming FileDescriptor, _ slots: Slots<SourceLedger>) {
    self.name = name
    self.file = file
    self.slots = slots
  }
}

extension SourceLock {
  /// The ledger of the source, as `StorageDirectory.findLedger`.
  package func findLedger() throws(RemoraError) -> SourceLedger? {
    guard writeProblem == nil, isHeld else { return try directory.findLedger(name) }
    return try heldLedger(isCreated: false)?.slots.ledger
  }

  /// Writes the ledger of the source. A power cut may undo that.
  ///
  /// - Throws: `.storage` or `.permission`; readers then see the ledger as it was.
  package func writeLedger(_ ledger: SourceLedger) throws(RemoraError) {
    _ = try requireWritable()
    guard let held = try heldLedger(isCreated: true) else { throw directory.failure("create", .ledger(name), -ENOENT) }
    do throws(RemoraError) {
      try directory.write(ledger, over: &held.slots, held.file, .ledger(name))
    } catch {
      // Part of it may be written.
      openLedger = nil
      throw error
    }
  }

  private func heldLedger(isCreated: Bool) throws(RemoraError) -> HeldLedger? {
    if let openLedger { return openLedger }
    let file = StoredFile.ledger(name)
    if let idle = directory.registry.takeIdleLedger(name, of: directory.locks), isInPlace(idle) {
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

  /// Whether a ledger that stayed open was neither removed nor replaced since.
  private func isInPlace(_ ledger: HeldLedger) -> Bool {
    let status = directory.status(of: ledger.file.number)
    return status.failure == 0 && status.links > 0 && status.fileProblem(of: directory.owner) == nil
  }

  /// Waits until the ledger survives a power cut: for a reset. Everything else is found again from the images.
  ///
  /// - Throws: `.storage` or `.permission`; readers see the ledger as it was written all the same.
  package func syncLedger() throws(RemoraError) {
    let number = try requireWritable()
    guard let held = try heldLedger(isCreated: false) else {
      throw directory.failure("sync", .ledger(name), -ENOENT)
    }
    let synced = uninterrupted { directory.calls.sync(held.file.number) }
    guard synced == 0 else { throw directory.failure("sync", .ledger(name), synced) }
    try directory.syncDirectory(number)
  }
}

/// What the two slots of a file hold together.
private struct Slots<Ledger: LedgerFields> {
  /// The ledger of the newest valid slot, if any.
  private(set) var ledger: Ledger?
  /// Its sequence number, or 0.
  private(set) var sequence: UInt64 = 0
  /// The slot to write next: 0 or 1.
  private(set) var older = 0
  /// Whether a later format is in it.
  private(set) var isNewer = false
  /// The whole file.
  private(set) var bytes: [UInt8]

  /// Notes that a ledger was written over the older slot.
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
