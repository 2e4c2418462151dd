// SPDX-License-Identifier: Apache-2.0
//
// What a host does in one step.

import Remora

/// The calls of a host.
struct HostSteps {
  let world: World
  let process: SimulatedProcess

  private enum Step {
    case open, close, refresh, cancel, await, subscribe, unsubscribe, activate, freeze, reset
    case setOverride, clearOverride, clearOverrides, read, setContext, sync, saveSeed, exit, kill, judge
  }

  func doSomething() {
    let step: Step? = world.random.pick([
      (8, .open), (1, .close), (12, .refresh), (1, .cancel), (3, .await), (2, .subscribe), (1, .unsubscribe),
      (4, .activate), (world.rates.hasFaults ? 0 : 1, .freeze), (1, .reset), (3, .setOverride),
      (2, .clearOverride), (1, .clearOverrides), (3, .read), (1, .setContext), (2, .sync), (1, .saveSeed), (1, .exit),
      (world.rates.kill > 0 ? 1 : 0, .kill), (world.hasBadVersions ? 6 : 0, .judge),
    ])
    guard let step, let client = process.openClient else { return }
    world.note("p\(process.id) \(step)")
    switch step {
    case .open: open(client)
    case .sync: sync(client)
    case .setContext: try? client.setContext(world.random.oneIn(2) ? #"{"appinfo":{"OS":"x"}}"# : nil)
    case .saveSeed: saveSeed()
    case .exit: if world.random.oneIn(4) { process.exit() }
    case .kill: process.kill()
    default: if let opened = world.random.pick(process.opened) { act(step, opened) }
    }
  }

  private func act(_ step: Step, _ opened: OpenedSource) {
    switch step {
    case .close:
      process.sources[opened.kind] = nil
      for (_, watch) in opened.subscriptions { watch.isEnded = true }
      process.calls.removeAll { $0.kind == opened.kind }
      opened.handle.close()
    case .refresh: refresh(opened)
    case .cancel:
      if let call = world.random.pick(process.calls), let waiter = call.waiter { opened.source.cancel(waiter) }
    case .await: awaitFresh(opened)
    case .subscribe: subscribe(opened)
    case .unsubscribe: unsubscribe(opened)
    case .activate:
      opened.seen.mayMove = true
      _ = try? opened.source.activate()
    case .freeze:
      opened.seen.mayMove = true
      opened.seen.isMuted = (try? opened.source.freeze()) != nil || opened.seen.isMuted
      for (_, watch) in opened.subscriptions { watch.mayMissEvents = true }
    case .reset: reset(opened)
    case .setOverride, .clearOverride, .clearOverrides: changeOverrides(step, opened)
    case .read: _ = try? opened.source.acquire()
    case .judge: judge(opened)
    default: break
    }
  }

  // MARK: Refreshes

  private func sync(_ client: Client) {
    process.syncs += 1
    let isBegun = (try? client.syncAsync { [process] _ in process.syncs -= 1 }) != nil
    if !isBegun { process.syncs -= 1 }
  }

  func refresh(_ opened: OpenedSource) {
    let call = PendingCall(opened.kind, isForced: world.random.oneIn(5))
    let before = world.invariants.now(opened.kind)
    let answers = world.invariants.answerCount(opened.kind, of: process)
    let joins = process.calls.contains { $0.kind == opened.kind }
    opened.mayLackFiles = call.isForced || (joins && opened.mayLackFiles)
    process.calls.append(call)
    let token = Token(of: process)
    let waiter = try? opened.source.refreshAsync(
      RefreshManner(isForced: call.isForced), on: ObjectIdentifier(opened.handle)
    ) {
      [process, weak opened, weak call] result in
      token.touch()
      guard !process.isDead, let opened, let call else { return }
      process.calls.removeAll { $0 === call }
      process.world.invariants.ended(
        result, opened, of: process, since: before.disturbances, stored: before.stored, answers: answers)
    }
    call.waiter = waiter
    if waiter == nil { process.calls.removeAll { $0 === call } }
  }

  private func awaitFresh(_ opened: OpenedSource) {
    let limit = Int64(world.random.below(5000))
    let call = PendingCall(opened.kind, limitMs: world.monotonicMs + limit)
    process.calls.append(call)
    let token = Token(of: process)
    let waiter = try? opened.source.awaitFreshAsync(timeoutMs: limit, on: ObjectIdentifier(opened.handle)) {
      [process, weak call] _ in
      token.touch()
      guard let call else { return }
      process.calls.removeAll { $0 === call }
    }
    call.waiter = waiter
    if waiter == nil { process.calls.removeAll { $0 === call } }
  }

  private func reset(_ opened: OpenedSource) {
    let before = world.invariants.willReset(opened.kind)
    opened.seen.mayMove = true
    defer { world.invariants.resetEnded(opened.kind) }
    do {
      try opened.source.reset()
      guard !process.isDead else { return world.invariants.resetWasCut(opened.kind) }
      world.invariants.wasReset(opened, of: process)
    } catch {
      guard !process.isDead else { return world.invariants.resetWasCut(opened.kind) }
      world.invariants.resetFailed(opened.kind, before)
    }
  }

  // MARK: Subscriptions

  private func subscribe(_ opened: OpenedSource) {
    guard opened.subscriptions.count < 3 else { return }
    let watch = Watch(opened, of: process)
    guard let subscription = try? opened.handle.subscribe(key: nil, replay: true, watch.sink) else { return }
    opened.subscriptions.append((subscription, watch))
  }

  private func unsubscribe(_ opened: OpenedSource) {
    guard !opened.subscriptions.isEmpty else { return }
    let (subscription, watch) = opened.subscriptions.removeFirst()
    opened.handle.unsubscribe(subscription)
    watch.isEnded = true
  }

  // MARK: Overrides

  private func changeOverrides(_ step: Step, _ opened: OpenedSource) {
    let key = Array((world.random.pick(opened.kind.keys) ?? "a").utf8)
    let (list, before) = (try? opened.source.overrides(), world.invariants.willChangeOverrides(opened))
    switch step {
    case .setOverride:
      let value = "{\"x\":\(world.random.below(1000))}"
      if let override = try? Override(key: key, pointer: [], json: Array(value.utf8)) {
        try? opened.source.set(override)
      }
    case .clearOverride: try? opened.source.clearOverride(key, [])
    default: try? opened.source.clearOverrides()
    }
    if !process.isDead { world.invariants.changedOverrides(opened, from: list, before) }
  }

  private func saveSeed() {
    guard let kind = world.random.pick(Kind.allCases), kind != .collection else { return }
    let dialect: any Dialect
    let body: String
    // Older settings would bring back experiments that have ended.
    let age = kind == .settings ? 0 : world.random.below(3)
    let version = max(1, world.server.newest[kind.rawValue] - age)
    switch kind {
    case .settings:
      guard let settings = try? Openings.settings(.immediate, persists: false).dialect() else { return }
      (dialect, body) = (settings, SettingsHistory.body(at: version))
    default:
      guard let bundle = try? Openings.bundle(persists: false).resolved(hashSeed: process.runtime.hashSeed) else {
        return
      }
      (dialect, body) = (bundle.0, BundleHistory.body(at: version))
    }
    guard
      let seed = try? Seeds(process.runtime).compile(
        Array(body.utf8), named: "seed", of: dialect, fetchedAtMs: world.wallMs, nowMs: world.wallMs),
      let storage = try? StorageDirectory.open(
        path: "/simulated", calls: process.files.calls, lockFiles: process.lockFiles)
    else { return }
    try? Seeds(process.runtime).save(seed.accepted, in: storage)
  }
}
