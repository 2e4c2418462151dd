// SPDX-License-Identifier: Apache-2.0
//
// Downloads a seed by the path of a refresh without a base; the result is verified and compiled. The calling thread
// waits, so this is for programs that do nothing else in the meantime.

extension Seeds {
  /// Downloads a seed.
  ///
  /// - Parameters:
  ///   - floor: The earliest time that is used to check certificates.
  ///   - timeoutMs: The time limit for the whole download; nil leaves only the limits of the transport.
  /// - Returns: The image, and the warnings about ignored parts of the document.
  /// - Throws: The errors of a refresh that fails or is refused.
  package func download(
    of dialect: any Dialect, telling items: [(name: String, value: String)], _ options: TransportOptions,
    notBeforeMs floor: Int64, timeoutMs: Int64? = nil
  ) throws(RemoraError) -> (accepted: AcceptedImage, warnings: [String]) {
    defer { Libcrypto.leaveThread() }
    let deadline = timeoutMs.map { runtime.lock.monotonicMs.addingClamped($0) }
    var path = RefreshPath(
      dialect, first: try dialect.seedRequest(telling: items), base: nil,
      limits: VersionLimits(floor: 0, rule: dialect.versions), epoch: 0, generation: 0, hashSeed: runtime.hashSeed)
    while true {
      let answer = try exchange(path.request.httpRequest(options), untilMonotonicMs: deadline)
      guard let answer else { throw .timeout(afterMs: timeoutMs ?? 0) }
      let step = try runtime.worker.perform { exclusive throws(RemoraError) in
        try path.advance(answer, chains: runtime.worker.chains(exclusive), nowMs: max(SystemClock().nowMs, floor))
      }
      switch step {
      case .gather: continue
      case .compiled(let image): return (image, path.warnings)
      case .unchanged, .notNewer:
        throw .bug("the download of a seed (data that an installer saves) returned neither data nor an error")
      }
    }
  }

  /// Loads the libraries if necessary, sends a request and waits for its result; returns nil on timeout.
  package func exchange(
    _ request: HTTPRequest, untilMonotonicMs deadline: Int64?
  ) throws(RemoraError) -> Result<HTTPResponse, RemoraError>? {
    try runtime.lock.withLock { locked throws(RemoraError) in
      runtime.handleForks(locked)
      try runtime.loadLibraries(locked)
      try runtime.startEngine(locked)
    }
    let waiter = Waiter<Never, Result<HTTPResponse, RemoraError>?>(.blocked(runtime.lock))
    return try runtime.lock.withLock { locked throws(RemoraError) in
      let transfer = try runtime.transport.start(request) { [runtime] answer in
        runtime.lock.withLock { waiter.end(answer, $0) }
      }
      let limit = deadline.map { max(0, $0 - runtime.lock.monotonicMs) } ?? -1
      return waiter.wait(forMs: limit, TimeLimits(runtime: runtime, clock: nil), locked) {
        runtime.transport.cancel(transfer)
        waiter.end(nil, locked)
      }
    }
  }
}
