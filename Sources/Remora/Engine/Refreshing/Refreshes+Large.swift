// SPDX-License-Identifier: Apache-2.0
//
// Passes responses to the path of a refresh: small ones in a job of the engine thread, large ones on the decoder
// thread, which decodes their document while it arrives.

extension Refreshes {
  /// Lets the decoder decode the part of a large body that has arrived. Called between jobs of the engine thread.
  func decode(_ arrived: ReceivedBody, of run: RefreshRun, _ locked: Locked) {
    guard !run.state[locked].isOver else { return }
    let document = run.state[locked].arriving ?? ArrivingDocument(dialect)
    run.state[locked].arriving = document
    runtime.decoder.enqueue(locked) {
      document.decode(arrived)
      return nil
    }
  }

  /// Advances the path with a response. For a large body, the decoder does so, and a later job receives the result.
  func advance(
    _ run: RefreshRun, _ answer: Result<HTTPResponse, RemoraError>, nowMs: Int64, _ exclusive: Exclusive
  ) throws(RemoraError) {
    let chains = runtime.worker.chains(exclusive)
    if case .success(let response) = answer, response.content.count > HTTPResponse.mostSmallBytes {
      run.work[exclusive].isBig = true
    }
    guard let path = exchange(&run.work[exclusive].path, nil) else {
      throw .bug("a refresh has no state")
    }
    let arriving = lock.withLock { exchange(&run.state[$0].arriving, nil) }
    guard run.work[exclusive].isBig else {
      return try follow(AdvancedPath(consume path, answer, arriving, chains: chains, nowMs: nowMs), run, exclusive)
    }
    // Captures only the directory: a reference to the lock would keep the files locked after the end of the run.
    let directory = publisher.files.filesLock(of: run.publishing, exclusive)?.directory
    lock.withLock { locked in
      runtime.decoder.enqueue(locked) { [self] in
        let advanced = AdvancedPath(path, answer, arriving, chains: chains, nowMs: nowMs)
          .writing(of: core.name, in: directory)
        return { [self] in receiveDecoded(advanced, for: run, $0) }
      }
    }
  }

  /// Receives a path that the decoder has advanced. Another refresh may have stored newer data in the meantime.
  private func receiveDecoded(_ advanced: AdvancedPath, for run: RefreshRun, _ exclusive: Exclusive) {
    guard !lock.withLock({ run.state[$0].isOver }) else { return }
    run.work[exclusive].path = advanced.path
    do throws(RemoraError) {
      let rejected = core.snapshots[exclusive].rejected
      if advanced.path.isBased(on: newest(exclusive), without: rejected, ledger) {
        return try follow(advanced, run, exclusive)
      }
      guard case .success(let response) = advanced.answer else { return try beginPath(of: run, exclusive) }
      guard try rebaseOntoNewest(run, advanced.asked, response, exclusive) else { return }
      try advance(run, advanced.answer, nowMs: advanced.nowMs, exclusive)
    } catch {
      fail(run, error, exclusive)
    }
  }
}

// The path of a refresh after one response, passed from the decoder to the engine thread.

/// A path that a response has advanced.
struct AdvancedPath: Sendable {
  /// The request that was answered; the next one, if any, is in `step`.
  let asked: Gather
  let answer: Result<HTTPResponse, RemoraError>
  let nowMs: Int64
  let path: RefreshPath
  private(set) var step: Result<RefreshPath.Step, RemoraError>

  /// - Parameter arriving: The document of the response, as for `RefreshPath.advance`.
  init(
    _ before: consuming RefreshPath, _ answer: Result<HTTPResponse, RemoraError>, _ arriving: ArrivingDocument?,
    chains: ChainCache, nowMs: Int64
  ) {
    asked = before.request
    (self.answer, self.nowMs) = (answer, nowMs)
    do throws(RemoraError) {
      step = .success(try before.advance(answer, arriving, chains: chains, nowMs: nowMs))
    } catch {
      step = .failure(error)
    }
    path = before
  }

  /// Returns this path after writing a compiled image to the disk, if the image is to be stored.
  func writing(of source: StorageName, in directory: StorageDirectory?) -> AdvancedPath {
    guard let directory, case .success(.compiled(var image)) = step else { return self }
    image.write(of: source, in: directory)
    var next = self
    next.step = .success(.compiled(image))
    return next
  }
}
