// SPDX-License-Identifier: Apache-2.0
//
// What is checked of requests, of refreshes that have ended, and of events: invariants 1, 2, 4, 12 and 14.

import Remora

extension Invariants {
  // MARK: Requests

  /// 14: a server that wants to be left alone is left alone.
  func willSend(_ request: HTTPRequest, by process: SimulatedProcess) {
    guard let kind = Server.kind(of: request.url), let until = backoffUntilMs[process.id]?[kind], process.syncs == 0
    else { return }
    let mayBeForced = process.calls.contains { $0.isForced && $0.kind == kind }
    if world.monotonicMs < until, !mayBeForced {
      fail(14, "process \(process.id) asks for \(kind) \(until - world.monotonicMs) ms too early: \(request.url)")
    }
  }

  func willAnswer(
    _ request: HTTPRequest, _ answer: Result<HTTPResponse, RemoraError>, _ version: Int?, of process: SimulatedProcess
  ) {
    guard let kind = Server.kind(of: request.url) else { return }
    if case .success(let response) = answer, let pause = response.headers.retryAfterMs {
      process.newPauses.append((kind, world.monotonicMs + pause))
    }
    answered[process.id, default: [:]][kind, default: []].append(version)
    // A process may accept it, remember it in the ledger, and be killed before anybody looks.
    if kind == .bundle, let version { update(kind) { $0.newestVersion = max($0.newestVersion, Int64(version)) } }
  }

  /// Notes the pauses that a process has handled by now.
  func notePauses(of process: SimulatedProcess) {
    guard process.runtime.worker.nextDueMs.map({ $0 > world.monotonicMs }) ?? true else { return }
    for (kind, until) in process.newPauses {
      let known = backoffUntilMs[process.id]?[kind] ?? 0
      backoffUntilMs[process.id, default: [:]][kind] = max(known, until)
    }
    process.newPauses = []
  }

  // MARK: Refreshes

  /// How many answers a process has had; nil while a refresh may join one that is answered already.
  func answerCount(_ kind: Kind, of process: SimulatedProcess) -> Int? {
    guard process.isIdle, process.runtime.worker.nextDueMs.map({ $0 > world.monotonicMs }) ?? true else { return nil }
    return answered[process.id]?[kind]?.count ?? 0
  }

  /// - Parameters:
  ///   - disturbances: How often the data had been disturbed when the refresh began.
  ///   - stored: What was stored by then.
  ///   - answers: How many answers the process had had by then.
  func ended(
    _ result: RefreshResult, _ opened: OpenedSource, of process: SimulatedProcess, since disturbances: Int,
    stored: (epoch: UInt64, version: Int64)?, answers: Int?
  ) {
    guard result.outcome == .updated || result.outcome == .staged || result.outcome == .unchanged else { return }
    let kind = opened.kind
    guard let info = try? opened.source.info(), process.isDead == false else { return }
    let newest = opened.source.newestMetadata
    world.note(
      "p\(process.id) \(kind) \(result.outcome): \(newest?.version ?? 0) (epoch \(newest?.epoch ?? 0), "
        + "generation \(newest?.generation ?? 0)) \(info.storageError?.message ?? "")")
    let image = opened.source.stagedSnapshot?.base ?? opened.source.cell.acquire().base
    let number = number(kind, image)
    // The result may be older than a rejection that this process has followed.
    if hasFallenBack(kind, number) { return }
    // 2: a server cannot confirm another version than its own.
    if result.outcome == .unchanged, let newest, let versions = answered[process.id]?[kind],
      let answers, versions.count == answers + 1, let last = versions.last, let version = last,
      now(kind).disturbances == disturbances
    {
      let isRight =
        switch kind {
        case .collection: newest.version >= CollectionHistory.timestamp(version)
        case .bundle: newest.version >= version
        // Their version is the time of their fetch. What is staged is checked once it is live.
        case .settings:
          opened.source.stagedSnapshot != nil || liveNumber(of: opened, newest).map { $0 >= version } ?? true
        }
      if !isRight { fail(2, "\(kind): \(newest.version) was confirmed by a server that has \(version)") }
    }
    // 1: a refresh with the right to the files has read what was stored before it.
    if let stored, info.storageError == nil, !opened.mayLackFiles, let newest, kind != .settings,
      newest.epoch == stored.epoch, newest.version < stored.version, now(kind).disturbances == disturbances
    {
      fail(1, "\(kind): \(newest.version) was accepted after \(stored.version) (epoch \(stored.epoch)) was stored")
    }
    // A power cut may take what another process has stored if the sync of the directory failed.
    if info.storageError == nil, let newest, result.outcome != .unchanged, resetting == 0, !world.disk.hasFailedSync,
      now(kind).disturbances == disturbances
    {
      let isRejected = isRejected(kind, number)
      update(kind) { expected in
        guard expected.stored.map({ $0 < (newest.epoch, newest.version) }) ?? true else { return }
        guard !isRejected else { return }
        expected.stored = (newest.epoch, newest.version)
        expected.storedNumber = kind == .settings ? number : nil
        expected.name = StorageName(hashing: newest.identity)
      }
    }
    if info.storageError != nil { update(kind) { $0.mayAnnounceTwice = true } }
  }

  /// The number that the newest settings have; nil while they are staged.
  func liveNumber(of opened: OpenedSource, _ newest: ImageMetadata) -> Int64? {
    let live = opened.source.cell.acquire().base
    return live.metadata.version == newest.version ? live.content["n"] : nil
  }

  // MARK: Events

  /// 12: an experiment is reported by one process, and to each subscriber at most once.
  func saw(_ event: Event, _ kind: Kind, of process: SimulatedProcess, by watch: Watch) {
    if event.storageError != nil { update(kind) { $0.mayAnnounceTwice = true } }
    // Settings have no version: an answer that a forced refresh processes late brings back what was there before.
    if kind == .settings, let old = event.old.base.content["n"], let new = event.new.base.content["n"], new < old {
      update(kind) { $0.mayAnnounceTwice = true }
    }
    let names = event.newExperiments.map { String(decoding: $0.name, as: UTF8.self) }
    if !names.isEmpty { world.note("p\(process.id) \(kind) reports \(names) by \(event.cause)") }
    for name in names {
      let first = now(kind).announced[name] ?? process.id
      let isNew = watch.announced.insert(name).inserted && first == process.id
      if !isNew, !now(kind).mayAnnounceTwice {
        fail(12, "the experiment \(name) is reported by process \(process.id), after \(first)")
      }
      update(kind) { $0.announced[name] = first }
    }
  }
}
