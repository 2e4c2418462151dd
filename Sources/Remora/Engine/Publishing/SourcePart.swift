// SPDX-License-Identifier: Apache-2.0

/// A type with one responsibility in a source, which accesses shared data through the core.
///
/// Invariant: no part refers to the client, which owns the sources. ARCHITECTURE.md lists the parts, and which of them
/// a part may use.
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

  func live(_ locked: Locked) -> Snapshot { core.snapshots[locked].live }
  func live(_ exclusive: Exclusive) -> Snapshot { core.snapshots[exclusive].live }
  func staged(_ locked: Locked) -> Snapshot? { core.snapshots[locked].staged }
  func staged(_ exclusive: Exclusive) -> Snapshot? { core.snapshots[exclusive].staged }
  func newest(_ locked: Locked) -> Image? { core.snapshots[locked].newest }
  func newest(_ exclusive: Exclusive) -> Image? { core.snapshots[exclusive].newest }

  // Implemented by the core, so that the compiler does not generate a copy for each part.

  var known: SourceState { core.known }
  var ledger: SourceLedger { core.ledger }
  func requireOpen(_ locked: Locked) throws(RemoraError) { try core.requireOpen(locked) }
  func isOpen(_ locked: Locked) -> Bool { core.isOpen(locked) }
  var storage: StorageDirectory? { core.storage }
  func requireStorage() throws(RemoraError) -> StorageDirectory? { try core.requireStorage() }
  func note(_ level: LogLevel, _ message: @autoclosure () -> String) { core.note(level, message()) }
  func noteStorage(_ error: RemoraError, _ consequence: StaticString = "the settings in memory are not affected") {
    core.noteStorage(error, consequence)
  }
}
