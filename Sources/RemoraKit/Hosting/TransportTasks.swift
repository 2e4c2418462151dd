// SPDX-License-Identifier: Apache-2.0
//
// Runs the requests of a client as tasks that call the program's transport.
// Invariant: each request is answered once, unless it was cancelled or its client was closed.

internal import Remora
internal import Synchronization

/// The tasks of one client.
private final class TransportTasks: Sendable {
  private let transport: any HTTPTransport
  private let running = Mutex<[UInt64: Task<Void, Never>]>([:])

  init(_ transport: any HTTPTransport) { self.transport = transport }

  func start(_ id: TransferID, _ request: HTTPRequest) {
    running.withLock { running in
      running[id.number] = Task { [self] in
        let answer = await answer(request)
        _ = self.running.withLock { $0.removeValue(forKey: id.number) }
        send(answer, to: id)
      }
    }
  }

  func cancel(_ id: TransferID) {
    running.withLock { $0.removeValue(forKey: id.number) }?.cancel()
  }

  func cancelAll() {
    let cancelled = running.withLock { running in
      defer { running = [:] }
      return running.values.map { $0 }
    }
    for task in cancelled { task.cancel() }
  }

  private func answer(_ request: HTTPRequest) async -> Result<HTTPResponse, any Error> {
    do { return .success(try await transport.send(request)) } catch { return .failure(error) }
  }

  /// Completes a request. A malformed response becomes a network error. Has no effect on a completed request.
  private func send(_ answer: Result<HTTPResponse, any Error>, to id: TransferID) {
    ForkGate.inside {
      do throws(Remora.RemoraError) {
        try Runtime.shared.hostRequests.accept(answerTo: id) { limit throws(Remora.RemoraError) in
          try HostResponse(answer, mostBytes: limit)
        }
      } catch {
        guard error.code == .invalidArgument else { return }
        let failure = HostResponse.failure(
          .network, "the program's transport returned an invalid response: \(error.message)")
        try? Runtime.shared.hostRequests.accept(answerTo: id) { _ in failure }
      }
    }
  }
}

extension HostCalls {
  /// Creates the functions that call a transport. When they are released, all of its tasks are cancelled.
  init(_ transport: any HTTPTransport) {
    let tasks = TransportTasks(transport)
    let ending = Ending { tasks.cancelAll() }
    self.init(
      send: { id, request, url in
        let request = HTTPRequest(
          method: request.method.token, url: url, headers: request.headerLines)
        withExtendedLifetime(ending) { tasks.start(id, request) }
      },
      cancel: { tasks.cancel($0) })
  }
}

extension HostResponse {
  /// Converts the answer of a transport.
  ///
  /// - Throws: `.invalidArgument` for a response that no server sends; `.unavailable` if memory is exhausted.
  fileprivate init(_ answer: Result<HTTPResponse, any Error>, mostBytes limit: Int) throws(Remora.RemoraError) {
    switch answer {
    case .success(let response):
      let body = response.body
      self = try body.withBytes { body throws(Remora.RemoraError) in
        try HostResponse(
          status: Int32(clamping: response.status), headers: response.headers, copying: body, mostBytes: limit)
      }
    case .failure(let error):
      let error = error as? RemoraError
      let message = error?.message ?? "\(answer)"
      self = .failure(error?.code == .tls ? .tls : .network, printable(message))
    }
  }
}
