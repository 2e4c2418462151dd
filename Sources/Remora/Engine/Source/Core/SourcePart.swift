// SPDX-License-Identifier: Apache-2.0
//
// A part of a source: a type that owns one concern, and reads what all parts share through the core.

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
  var lock: ProcessLock { core.services.lock }

  func live(_ locked: borrowing Locked) -> Snapshot { core.snapshots.read(locked, \.live) }
  func live(_ right: borrowing Exclusive) -> Snapshot { core.snapshots.read(right, \.live) }
  func staged(_ locked: borrowing Locked) -> Snapshot? { core.snapshots.read(locked, \.staged) }
  func staged(_ right: borrowing Exclusive) -> Snapshot? { core.snapshots.read(right, \.staged) }
  func newest(_ locked: borrowing Locked) -> Image? { core.snapshots.read(locked, \.newest) }
  func newest(_ right: borrowing Exclusive) -> Image? { core.snapshots.read(right, \.newest) }

  /// What is known of the data now. Takes the lock.
  var known: SourceState { lock.withLock { core.state.read($0, \.data) } }

  /// Checks that the source and its client are open.
  ///
  /// - Throws: `.closed`.
  func requireOpen(_ locked: borrowing Locked) throws(RemoraError) {
    if !isOpen(locked) { throw .closed }
  }

  func isOpen(_ locked: borrowing Locked) -> Bool {
    !core.state.read(locked, \.isEnded) && !services.state.read(locked, \.isClosed)
  }

  /// Where the files are; nil keeps the source in memory. Takes the lock.
  var storage: StorageDirectory? { core.usesStorage ? services.storage : nil }

  /// The same for a write.
  ///
  /// - Throws: As `ClientServices.requireStorage`.
  func requireStorage() throws(RemoraError) -> StorageDirectory? {
    core.usesStorage ? try services.requireStorage() : nil
  }
}
