// SPDX-License-Identifier: Apache-2.0
//
// A subscriber that remembers what it saw, and things that have to be released exactly once.

import Remora

/// The subscriber of a whole source.
///
/// `@unchecked Sendable`: a simulation has one thread.
final class Watch: @unchecked Sendable {
  private let kind: Kind
  private let process: SimulatedProcess
  private weak var opened: OpenedSource?
  private var last: Snapshot?
  /// The experiments that it was told of.
  var announced: Set<String> = []
  /// Set when the subscription has ended.
  var isEnded = false
  /// Set when the host stopped listening: events were dropped.
  var mayMissEvents = false

  init(_ opened: OpenedSource, of process: SimulatedProcess) {
    kind = opened.kind
    self.process = process
    self.opened = opened
  }

  var sink: EventSink {
    let token = Token(of: process)
    return { [self] event, _ in
      token.touch()
      receive(event)
    }
  }

  private var invariants: Invariants { process.world.invariants }

  private func receive(_ event: Event) {
    guard !process.isDead else { return }
    if isEnded { process.world.fail(6, "\(kind): an event after the end of its subscription") }
    // A confirmation by the server changes the origin alone, without an event.
    if let last, event.cause != .opened, !event.old.hasSameValues(as: last), !mayMissEvents {
      process.world.fail(
        6, "\(kind): the event \(event.cause) begins at \(event.old.text), after one that ended at \(last.text)")
    }
    last = event.new
    if event.outcome == .failed || event.outcome == .refused || event.outcome == .notNewer, event.isUpdate {
      process.world.fail(3, "\(kind): a refresh that \(event.outcome) has moved the live data")
    }
    invariants.saw(event, kind, of: process, by: self)
    let world = process.world
    if world.hasBadVersions, world.random.oneIn(4), let opened, let snapshot = event.staged ?? last {
      HostSteps(world: world, process: process).judge(snapshot, opened)
    }
  }
}

extension Snapshot {
  var text: String { "\(base.metadata.version) (epoch \(base.metadata.epoch), \(origin))" }
}

/// Something that a callback holds. It must be released exactly once, and not inside the lock.
///
/// `@unchecked Sendable`: a simulation has one thread.
final class Token: @unchecked Sendable {
  private unowned let world: World
  private let runtime: Runtime
  private let process: SimulatedProcess

  init(of process: SimulatedProcess) {
    world = process.world
    runtime = process.runtime
    self.process = process
    process.liveTokens += 1
  }

  /// Keeps it alive until here.
  func touch() {}

  deinit {
    process.liveTokens -= 1
    var isFree = false
    runtime.lock.withLockIfFree { _ in isFree = true }
    if !isFree { world.fail(16, "a callback was released inside the lock") }
  }
}
