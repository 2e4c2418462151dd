// SPDX-License-Identifier: Apache-2.0
//
// One storage directory in memory, and what of it survives a power cut: what was synced, and any part of the rest.

/// A file. Its names come and go.
final class SimulatedFile {
  let number: UInt64
  var bytes: [UInt8] = [] { didSet { image = nil } }
  /// The image in it, as the invariants have read it last; nil if the file has changed since.
  var image: ReadImage?
  /// When it became the live file of a source, by the wall clock.
  var becameLiveMs: Int64?
  /// Whether a reset may have discarded it.
  var mayBeDiscarded = false
  /// Whether its time could not be set.
  var hasWrongTime = false
  /// As a power cut leaves them at least.
  private(set) var synced: [UInt8] = []
  var modifiedMs: Int64
  /// The process that holds each byte's lock.
  var locks: [Int64: Int] = [:]

  init(number: UInt64, nowMs: Int64) {
    self.number = number
    modifiedMs = nowMs
  }

  var isSynced: Bool { bytes == synced }

  func sync() { synced = bytes }

  func write(_ new: UnsafeRawBufferPointer, at offset: Int, nowMs: Int64) {
    let end = offset + new.count
    if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
    bytes.replaceSubrange(offset..<end, with: new)
    modifiedMs = nowMs
  }

  /// Keeps any of the sectors that were written since the last sync.
  func cutPower(_ random: inout Random) {
    defer { synced = bytes }
    guard !isSynced else { return }
    switch random.below(3) {
    case 0: bytes = synced
    case 1: break
    default:
      let sector = 512
      var kept = synced
      for start in stride(from: 0, to: bytes.count, by: sector) where random.oneIn(2) {
        let end = min(start + sector, bytes.count)
        if kept.count < end { kept += [UInt8](repeating: 0, count: end - kept.count) }
        kept.replaceSubrange(start..<end, with: bytes[start..<end])
      }
      bytes = kept
    }
  }
}

/// A change of the names, which a power cut keeps or loses as a whole.
private enum NameChange {
  case add(String, SimulatedFile)
  case remove(String)
  case rename(String, String, SimulatedFile)
}

/// Names and their files, in the order of creation.
struct Names {
  private(set) var all: [(name: String, file: SimulatedFile)] = []

  subscript(name: String) -> SimulatedFile? { all.first { $0.name == name }?.file }

  fileprivate mutating func apply(_ change: NameChange) {
    switch change {
    case .add(let name, let file):
      all.removeAll { $0.name == name }
      all.append((name, file))
    case .remove(let name): all.removeAll { $0.name == name }
    case .rename(let from, let to, let file):
      all.removeAll { $0.name == from || $0.name == to }
      all.append((to, file))
    }
  }
}

/// The directory.
final class Disk {
  private var now = Names()
  /// The names that survive a power cut, and what has changed since.
  private var synced = Names()
  private var changes: [NameChange] = []
  private var lastNumber: UInt64 = 1
  /// Whether no file can grow.
  var isFull = false
  /// Whether the last attempt to make the names survive a power cut failed: whoever made it knows, and others do not.
  private(set) var hasFailedSync = false

  /// The files by their names.
  var names: [(name: String, file: SimulatedFile)] { now.all }

  subscript(name: String) -> SimulatedFile? { now[name] }

  /// The name of a file; nil when it has none any more.
  func name(of file: SimulatedFile) -> String? { names.first { $0.file === file }?.name }

  func create(_ name: String?, nowMs: Int64) -> SimulatedFile {
    lastNumber += 1
    let file = SimulatedFile(number: lastNumber, nowMs: nowMs)
    if let name { change(.add(name, file)) }
    return file
  }

  func remove(_ name: String) { change(.remove(name)) }

  func rename(_ from: String, _ to: String) -> Bool {
    guard let file = self[from] else { return false }
    change(.rename(from, to, file))
    return true
  }

  func link(_ from: String, _ to: String) -> Bool {
    guard let file = self[from], self[to] == nil else { return false }
    change(.add(to, file))
    return true
  }

  private func change(_ change: NameChange) {
    now.apply(change)
    changes.append(change)
  }

  /// Whether a power cut may lose a change of the names.
  var hasUnsyncedNames: Bool { !changes.isEmpty }

  /// Makes the names of now survive a power cut.
  func sync() {
    synced = now
    changes = []
    hasFailedSync = false
  }

  func noteFailedSync() { hasFailedSync = true }

  /// Keeps what was synced, and any part of the rest: of the names, and of each file's bytes.
  func cutPower(_ random: inout Random) {
    let isInOrder = random.oneIn(2)
    let kept = random.below(changes.count + 1)
    for (index, change) in changes.enumerated() where isInOrder ? index < kept : random.oneIn(2) {
      synced.apply(change)
    }
    now = synced
    changes = []
    hasFailedSync = false
    for (_, file) in names {
      file.cutPower(&random)
      file.locks = [:]
    }
  }
}
