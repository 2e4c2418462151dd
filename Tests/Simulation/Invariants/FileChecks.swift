// SPDX-License-Identifier: Apache-2.0
//
// What is checked at each change of a file: invariants 7, 8 and 15; and of the files that processes hold: 13 and 16.

import Glibc
import Remora

extension Invariants {
  /// The name whose byte a writer of a file must hold; nil for files that need none.
  private func owner(of name: String) -> StorageName? {
    switch StoredFile(fileName: name) {
    case .image(let name, _)?, .ledger(let name)?: name
    case .overrides(let name)?: name.ofOverrides
    case .seed(let name)?: name.ofSeed
    case .packaged(let name, _)?: name.ofPackaged
    default: nil
    }
  }

  private func requireOwner(of name: String, _ process: Int) {
    guard let owner = owner(of: name) else { return }
    if world.disk["lock"]?.locks[owner.lockByte] != process {
      fail(8, "process \(process) changes \(name), whose byte it does not hold")
    }
  }

  func willWrite(_ name: String, by process: Int) {
    requireOwner(of: name, process)
    if case .image? = StoredFile(fileName: name) { fail(7, "process \(process) writes into \(name)") }
  }

  func willRename(_ from: String, _ to: String, by process: Int) {
    requireOwner(of: to, process)
    requireOwner(of: from, process)
    noteRename(from, to, by: process)
    guard case .image(_, let slot)? = StoredFile(fileName: to), let file = world.disk[from] else { return }
    let isWhole = image(in: file) != nil
    if slot == .previous, !isWhole { fail(7, "a damaged image becomes the previous one: \(to)") }
    if slot != .previous, !isWhole || !file.isSynced, case .temporary? = StoredFile(fileName: from) {
      fail(7, "an image becomes \(slot) before it is whole and synced: \(to)")
    }
  }

  func willRemove(_ name: String, by process: Int) {
    requireOwner(of: name, process)
    noteChange(of: name, by: process)
    guard case .seed(let source)? = StoredFile(fileName: name), let seed = world.disk[name].flatMap(image) else {
      return
    }
    guard resetting == 0 else { return }
    let files = imageFiles(of: source)
    let stored = files.compactMap(image)
    // The ledger remembers the version of an image that was damaged.
    guard stored.count == files.count else { return }
    // Settings of the same content are not newer, whenever they were fetched.
    // What was live in some process is remembered in the ledger.
    guard let kind = kind(of: source) else { return }
    let isOverruled = now(kind).newestVersion > seed.metadata.version
    let isStored =
      isOverruled || isRejected(kind, number(kind, seed))
      || stored.contains { $0.metadata.version >= seed.metadata.version || $0.content == seed.content }
    if !isStored {
      let versions = stored.map(\.metadata.version)
      fail(15, "the seed of version \(seed.metadata.version) is removed, and what is stored is \(versions)")
    }
  }

  func kind(of source: StorageName) -> Kind? { expected.first { $0.value.name == source }?.key }

  private func imageFiles(of source: StorageName) -> [SimulatedFile] {
    [ImageSlot.live, .previous, .staged].compactMap { world.disk[StoredFile.image(source, $0).fileName] }
  }

  /// The whole images that the directory has of a source.
  func storedImages(of source: StorageName) -> [Image] { imageFiles(of: source).compactMap(image) }

  func image(in file: SimulatedFile) -> Image? {
    guard let memory = malloc(max(1, file.bytes.count)) else { return nil }
    memory.copyMemory(from: file.bytes, byteCount: file.bytes.count)
    return try? Image(ImageBuffer(adopting: memory, length: file.bytes.count, ownership: .allocated))
  }

  // MARK: Files that are held

  /// 13: who has nothing under way holds no files.
  func checkHeldFiles(_ process: SimulatedProcess) {
    guard process.transport.pending.isEmpty, process.runtime.worker.nextDueMs.map({ $0 > world.monotonicMs }) ?? true,
      process.calls.isEmpty
    else { return }
    let held = process.files.heldBytes
    if !held.isEmpty { fail(13, "process \(process.id) has nothing under way, and holds \(held.count) locks") }
  }

  /// 13: all calls have ended.
  func checkIdle(_ process: SimulatedProcess) {
    if !process.isIdle { fail(13, "process \(process.id) has \(process.calls.count) calls that never end") }
  }

  /// 16: after the close nothing is left.
  func checkClosed(_ process: SimulatedProcess, clientIsLeft: Bool) {
    if clientIsLeft { fail(16, "the client of process \(process.id) is left after its close") }
    if process.files.openCount > 0 {
      fail(16, "process \(process.id) has \(process.files.openCount) open files after its close")
    }
    if !process.files.heldBytes.isEmpty { fail(16, "process \(process.id) holds locks after its close") }
    if process.liveTokens != 0 { fail(16, "process \(process.id) has \(process.liveTokens) callbacks after its close") }
  }

  func willClose(_ process: SimulatedProcess) {
    for opened in process.opened { for (_, watch) in opened.subscriptions { watch.isEnded = true } }
  }
}
