// SPDX-License-Identifier: Apache-2.0
//
// A part of a source: a type with one responsibility, which accesses shared data through the core.

/// A part of a source.
protocol SourcePart {
  var core: SourceCore { get }
}

extension SourcePart {
  var dialect: any Dialect { core.dialect }
  var services: ClientServices { core.services }
  var options: SourceOptions { core.options }
  var name: StorageName { core.name }
  var runtime: Runtime { core.services.runtime }
  var lock: ProcessLock { core.services.runtime.lock }

  func live(_ locked: borrowing Locked) -> Snapshot { core.snapshots.read(locked, \.live) }
  func live(_ right: borrowing Exclusive) -> Snapshot { core.snapshots.read(right, \.live) }
  func staged(_ locked: borrowing Locked) -> Snapshot? { core.snapshots.read(locked, \.staged) }
  func staged(_ right: borrowing Exclusive) -> Snapshot? { core.snapshots.read(right, \.staged) }
  func newest(_ locked: borrowing Locked) -> Image? { core.snapshots.read(locked, \.newest) }
  func newest(_ right: borrowing Exclusive) -> Image? { core.snapshots.read(right, \.newest) }

  // Implemented by the core, so that the compiler does not generate a copy for each part.

  var known: SourceState { core.known }
  var ledger: SourceLedger { core.ledger }
  func requireOpen(_ locked: borrowing Locked) throws(RemoraError) { try core.requireOpen(locked) }
  func isOpen(_ locked: borrowing Locked) -> Bool { core.isOpen(locked) }
  var storage: StorageDirectory? { core.storage }
  func requireStorage() throws(RemoraError) -> StorageDirectory? { try core.requireStorage() }
  func note(_ level: LogLevel, _ message: @autoclosure () -> String) { core.note(level, message()) }
  func noteStorage(_ error: RemoraError, _ consequence: StaticString = "the settings in memory are not affected") {
    core.noteStorage(error, consequence)
  }
}
