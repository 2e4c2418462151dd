// SPDX-License-Identifier: Apache-2.0
//
// One process of a simulation: a runtime, a client, and what its host has open.

import Glibc
import Remora

/// The wall clock of the machine.
///
/// `@unchecked Sendable`: a simulation has one thread.
private struct MachineClock: Clock, @unchecked Sendable {
  unowned let world: World
  var nowMs: Int64 { world.wallMs }
}

/// `@unchecked Sendable`: a simulation has one thread.
final class SimulatedProcess: @unchecked Sendable {
  let id: Int
  unowned let world: World
  private(set) lazy var runtime = makeRuntime()
  let files: ProcessFiles
  let lockFiles = LockFiles()
  private(set) lazy var transport = SimulatedTransport { [unowned self] in world.invariants.willSend($0, by: self) }
  private var client: Client?
  private(set) var isDead = false
  /// What is open, by kind.
  var sources: [Kind: OpenedSource] = [:]
  /// Asynchronous calls that have not ended.
  var calls: [PendingCall] = []
  /// How many syncs have not ended.
  var syncs = 0
  /// Times until which a server wants to be left alone, of answers that may not be handled yet, by kind.
  var newPauses: [(kind: Kind, untilMs: Int64)] = []
  /// Whether a call that changes overrides is on the stack.
  var isChangingOverrides = false
  /// How many of its calls on files have failed.
  var failures = 0
  /// Callbacks and listeners that exist.
  var liveTokens = 0

  init(_ id: Int, in world: World) {
    self.id = id
    self.world = world
    files = ProcessFiles(id, in: world)
  }

  private func makeRuntime() -> Runtime {
    var services = ProcessServices()
    services.time.monotonicMs = { [unowned world] in world.monotonicMs }
    services.time.wait = { [unowned self] deadline in world.wait(self, untilMs: deadline) }
    services.startThread = nil
    services.setForkHandlers = {}
    services.setExitHandler = {}
    if !world.server.isSigned { services.loadLibraries = {} }
    return Runtime(services)
  }

  /// Opens the client. Not in `init`, because its calls may already meet accidents.
  func start() {
    world.perform(self) {
      guard
        let storage = try? StorageDirectory.open(path: "/simulated", calls: files.calls, lockFiles: lockFiles)
      else { return kill() }
      var options = ClientOptions(storage: storage)
      guard (try? options.setCollectionDefaults(server: "\(Server.origin)/v2")) != nil else { return kill() }
      options.callbacks = .dispatch
      options.clock = MachineClock(world: world)
      options.random = { [unowned world] in UInt32(truncatingIfNeeded: world.random.next()) }
      options.transport = transport
      client = try? Client(options, runtime: runtime)
    }
  }

  /// The client; nil after its close.
  var openClient: Client? { client }

  /// The sources that are open, in the order of their kinds.
  var opened: [OpenedSource] { Kind.allCases.compactMap { sources[$0] } }

  func dispatch() { _ = try? client?.delivery.dispatch() }

  /// Whether nothing is under way.
  var isIdle: Bool { calls.isEmpty && transport.pending.isEmpty }

  // MARK: The end

  /// Ends it without warning.
  func kill() {
    guard !isDead else { return }
    isDead = true
    files.closeAll()
    world.invariants.wasKilled(self)
  }

  /// Releases what a dead process had in memory.
  func bury() {
    calls = []
    sources = [:]
    client?.close()
    client = nil
  }

  /// Closes the client as a host does, and checks that nothing is left.
  func closeAndCheck() {
    weak let left = client
    world.perform(self) {
      closeClient()
      while runtime.worker.runNextJob() {}
      // A refresh that waited for the files of another process holds its source until it looks again.
      world.advance(byMs: 50)
      while runtime.worker.runNextJob() {}
    }
    world.invariants.checkClosed(self, clientIsLeft: left != nil)
  }

  /// Closes the client. The process can be given up then.
  func closeClient() {
    world.invariants.willClose(self)
    client?.close()
    calls = []
    sources = [:]
    client = nil
  }

  /// Closes the client and ends, as a program does.
  func exit() {
    closeClient()
    kill()
  }
}

/// A source that a host has open.
///
/// `@unchecked Sendable`: a simulation has one thread.
final class OpenedSource: @unchecked Sendable {
  let kind: Kind
  unowned let process: SimulatedProcess
  let handle: OpenSource
  let activation: ActivationMode
  let persistsOverrides: Bool
  /// The subscriptions, with what they saw.
  var subscriptions: [(subscription: Subscription, watch: Watch)] = []
  /// What the last check found.
  var seen = Sighting()
  /// What is expected of it after rejections.
  var rejecting = RejectingSource()
  /// A snapshot that the host judges later.
  var kept: Snapshot?
  /// Whether its refresh is forced, which does not wait for the files.
  var mayLackFiles = false

  init(
    _ kind: Kind, _ handle: OpenSource, of process: SimulatedProcess, _ activation: ActivationMode,
    persistsOverrides: Bool
  ) {
    self.kind = kind
    self.process = process
    self.handle = handle
    self.activation = activation
    self.persistsOverrides = persistsOverrides
  }

  var source: Source { handle.source }
}

/// What a check found in a source.
struct Sighting {
  var revision: Int64 = -1
  var checksum: UInt64?
  var version: Int64 = 0
  /// The number of its content.
  var number: Int64 = 0
  var epoch: UInt64 = 0
  /// Whether the host activated or reset it since, or stopped listening.
  var mayMove = true
  var isMuted = false
}

/// An asynchronous call.
///
/// `@unchecked Sendable`: a simulation has one thread.
final class PendingCall: @unchecked Sendable {
  let kind: Kind
  let isForced: Bool
  /// When it has to have ended, by the monotonic clock.
  let limitMs: Int64?
  var waiter: RefreshWaiter?

  init(_ kind: Kind, isForced: Bool = false, limitMs: Int64? = nil) {
    self.kind = kind
    self.isForced = isForced
    self.limitMs = limitMs
  }
}
