// SPDX-License-Identifier: Apache-2.0
//
// One simulated machine: a directory, a server, time, and some processes, in one thread. The seed decides everything.

import Glibc
import Remora

/// A broken invariant.
struct Violation: Error {
  /// Its number in the list of `Invariants.swift`.
  let invariant: Int
  let text: String
  let seed: UInt64
  let step: Int
}

/// `@unchecked Sendable`: a simulation has one thread.
final class World: @unchecked Sendable {
  let seed: UInt64
  var random: Random
  let rates: AccidentRates
  let server: Server
  let disk = Disk()
  /// When fetched images become live, by kind.
  let activations: [ActivationMode]
  /// Whether the server publishes versions that hosts cannot work with, which they reject.
  let hasBadVersions: Bool
  private(set) var wallMs: Int64 = 1_796_000_000_000
  private(set) var monotonicMs: Int64 = 1_000_000
  private(set) var processes: [SimulatedProcess?]
  private(set) lazy var invariants = Invariants(of: self, counts)
  private(set) var steps = 0
  private(set) var violation: Violation?
  /// Processes with a call on the stack, the innermost last.
  private var stack: [SimulatedProcess] = []
  /// Nothing fails, and nobody else goes on: while invariants are checked, and at the end.
  private(set) var isCalm = false
  private var lastProcess = 0
  let log: Bool
  private let counts: RejectionCounts

  init(seed: UInt64, _ counts: RejectionCounts, log: Bool = false) {
    self.seed = seed
    self.counts = counts
    self.log = log
    var random = Random(seed: seed)
    rates = AccidentRates(&random)
    server = Server(isSigned: random.oneIn(20))
    let ways: [ActivationMode] = [.immediate, .immediate, .nextSetup, .manual]
    activations = Kind.allCases.map { _ in random.pick(ways) ?? .immediate }
    processes = Array(repeating: nil, count: 1 + random.below(3))
    hasBadVersions = random.oneIn(2)
    if hasBadVersions { for kind in Kind.allCases { server.publish(kind, isBad: random.oneIn(3)) } }
    self.random = random
  }

  var alive: [SimulatedProcess] { processes.compactMap(\.self).filter { !$0.isDead } }

  // MARK: Steps

  /// Makes some steps, then waits until everything has ended, and closes.
  func run(steps count: Int) throws(Violation) {
    while steps < count, violation == nil { step() }
    if violation == nil { settle() }
    if let violation { throw violation }
  }

  private func step() {
    steps += 1
    buryDead()
    if random.oneIn(40) || alive.isEmpty { startProcess() }
    if let process = random.pick(alive) { act(process, isNested: false) }
    if random.oneIn(3) { changeWorld() }
    check()
  }

  /// One step of a process.
  private func act(_ process: SimulatedProcess, isNested: Bool) {
    perform(process) {
      switch random.below(10) {
      case 0...3: _ = process.runtime.worker.runNextJob()
      case 4...5: answerRequest(of: process)
      case 6: process.dispatch()
      default: HostSteps(world: self, process: process).doSomething()
      }
    }
  }

  /// Runs a step of a process, which is not one of the others meanwhile.
  func perform(_ process: SimulatedProcess, _ body: () -> Void) {
    stack.append(process)
    body()
    stack.removeLast()
  }

  private func changeWorld() {
    switch random.below(100) {
    case 0..<50: advance(byMs: Int64(random.below(60)))
    case 50..<75: advance(byMs: Int64(random.below(3000)))
    case 75..<80: advance(byMs: Int64(random.below(hasBadVersions && random.oneIn(3) ? 1_800_000 : 90_000)))
    case 80..<90:
      if let kind = random.pick(Kind.allCases) { server.publish(kind, isBad: hasBadVersions && random.oneIn(2)) }
    case 90..<99:
      let moods: [Mood] = [.broken, .busy, .garbage, .forged, .older, .older, .unreachable]
      server.mood = random.oneIn(2) ? .well : random.pick(moods) ?? .well
    default:
      if rates.powerCut > 0, random.oneIn(4) { cutPower() }
      if rates.failure > 0 { disk.isFull.toggle() }
    }
  }

  func advance(byMs ms: Int64) {
    monotonicMs += ms
    wallMs += ms
  }

  // MARK: Accidents

  /// Something may happen at a system call. Returns how the call fails, if it does.
  func enterCall(_ call: String, of id: Int) -> (failure: Int32?, isShort: Bool) {
    guard let process = processes.compactMap(\.self).first(where: { $0.id == id }), !process.isDead else {
      return (-EIO, false)
    }
    note("p\(id) \(call)")
    guard !isCalm, violation == nil, let accident = rates.draw(&random) else { return (nil, false) }
    steps += 1
    note("p\(id) \(accident) at \(call)")
    switch accident {
    case .fails(let number):
      noteFailure(of: id)
      return (-number, false)
    case .isShort: return (nil, true)
    case .yields: letOthersGoOn()
    case .kill: process.kill()
    case .powerCut: cutPower()
    }
    return process.isDead ? (-EIO, false) : (nil, false)
  }

  func noteFailure(of id: Int) {
    processes.compactMap(\.self).first { $0.id == id }?.failures += 1
    invariants.callFailed()
  }

  private func letOthersGoOn() {
    guard stack.count < 3 else { return }
    let others = alive.filter { other in !stack.contains { $0 === other } }
    guard let other = random.pick(others) else { return }
    for _ in 0...random.below(6) where !other.isDead {
      steps += 1
      act(other, isNested: true)
    }
  }

  func cutPower() {
    note("the power is cut")
    for process in alive { process.kill() }
    let mayLoseNames = disk.hasUnsyncedNames
    disk.cutPower(&random)
    invariants.powerWasCut()
    invariants.checkStored(mayBeLost: mayLoseNames)
  }

  /// Changes a byte of a stored live image.
  private func damageLive() {
    let live = disk.names.filter { $0.name.hasSuffix(".live") && !$0.file.bytes.isEmpty }
    guard let (name, file) = random.pick(live) else { return }
    file.bytes[random.below(file.bytes.count)] ^= 0x55
    file.sync()
    invariants.wasDamaged(name)
  }

  // MARK: Waits

  /// What a thread of a process does that waits: the world goes on. Returns whether time is left.
  func wait(_ process: SimulatedProcess, untilMs deadline: Int64?) -> Bool {
    let isWorking = (process.isDead || random.oneIn(2)) && process.runtime.worker.runNextJob()
    if !isWorking {
      if random.oneIn(2), !process.isDead { answerRequest(of: process) } else if !isCalm { letOthersGoOn() }
      let next = [deadline, nextDueMs, monotonicMs + 1000].compactMap(\.self).min() ?? monotonicMs
      advance(byMs: max(1, next - monotonicMs))
    }
    return deadline.map { monotonicMs < $0 } ?? true
  }

  private var nextDueMs: Int64? { processes.compactMap { $0?.runtime.worker.nextDueMs }.min() }

  private func answerRequest(of process: SimulatedProcess) {
    guard let chosen = random.pick(process.transport.pending), let request = process.transport.take(chosen.id) else {
      return
    }
    var (answer, version) = server.answer(request.request, &random)
    if let arrival = request.request.arrival, case .success(let response) = answer, response.status == 200 {
      let isLost = deliverParts(of: response.content, to: arrival)
      if isLost { (answer, version) = (.failure(RemoraError(.network, "the connection was lost")), nil) }
    }
    note("p\(process.id) answer \(request.request.url) \(server.mood) \(version ?? -1)")
    invariants.willAnswer(request.request, answer, version, of: process)
    request.completion(answer)
  }

  /// Sometimes reports parts of a body before its end. Returns whether the connection is lost then.
  private func deliverParts(of body: ReceivedBody, to arrival: (ReceivedBody) -> Void) -> Bool {
    guard random.oneIn(3) else { return false }
    for count in [random.below(body.count + 1), random.below(body.count + 1)].sorted() {
      let part = UnsafeRawBufferPointer(rebasing: body.bytes[..<count])
      if let arrived = try? ReceivedBody(copying: part) { arrival(arrived) }
    }
    return random.oneIn(8)
  }

  // MARK: Processes

  private func startProcess() {
    guard let index = processes.firstIndex(where: { $0 == nil }) else { return }
    // While a process has an image open, nobody can see that its file is damaged.
    if rates.hasFaults, alive.isEmpty, random.oneIn(10) { damageLive() }
    lastProcess += 1
    processes[index] = SimulatedProcess(lastProcess, in: self)
    processes[index]?.start()
  }

  private func buryDead() {
    for (index, process) in processes.enumerated() {
      guard let process, process.isDead else { continue }
      process.bury()
      processes[index] = nil
    }
  }

  // MARK: Checks

  /// Writes a line of the log, if there is one.
  func note(_ text: @autoclosure () -> String) {
    if log { print("\(steps) \(text())") }
  }

  /// Runs a check, which meets no accident.
  func calmly<Result>(_ check: () -> Result) -> Result {
    let wasCalm = isCalm
    isCalm = true
    defer { isCalm = wasCalm }
    return check()
  }

  func fail(_ invariant: Int, _ text: String) {
    note("violation \(invariant): \(text)")
    if violation == nil { violation = Violation(invariant: invariant, text: text, seed: seed, step: steps) }
  }

  private func check() {
    guard violation == nil else { return }
    calmly {
      for process in alive { perform(process) { invariants.check(process) } }
      invariants.checkStored(mayBeLost: false)
    }
  }

  /// Everything that is under way comes to its end; then all processes close.
  private func settle() {
    buryDead()
    isCalm = true
    disk.isFull = false
    server.mood = .well
    for _ in 0..<400 where violation == nil && alive.contains(where: { !$0.isIdle }) {
      for process in alive {
        perform(process) {
          while process.runtime.worker.runNextJob() {}
          while !process.transport.pending.isEmpty { answerRequest(of: process) }
          process.dispatch()
        }
      }
      advance(byMs: 1000)
    }
    for process in alive { invariants.checkIdle(process) }
    settleRejections()
    for process in alive where violation == nil { process.closeAndCheck() }
  }

  /// Every process looks twice; then each rejection is known to all.
  private func settleRejections() {
    for _ in 0..<6 where violation == nil {
      for process in alive {
        perform(process) {
          while process.runtime.worker.runNextJob() {}
          while !process.transport.pending.isEmpty { answerRequest(of: process) }
          while process.runtime.worker.runNextJob() {}
          process.dispatch()
        }
      }
      check()
      advance(byMs: 1000)
    }
    if violation == nil { invariants.checkAllStored() }
  }
}
