// SPDX-License-Identifier: Apache-2.0
//
// A server in memory, as the transport of a client: answers at once, or when the test releases the answers.

import Dispatch
import Synchronization

@testable import Remora

/// Answers requests by their path.
final class TestServer: Transport {
  typealias Outcome = Result<HTTPResponse, Remora.RemoraError>

  private struct Held {
    let id: TransferID
    let outcome: Outcome
    let completion: Completion
  }

  private struct State {
    var outcomes: [String: Outcome] = [:]
    var isHolding = false
    var held: [Held] = []
    var urls: [String] = []
    var cancelled = 0
    var count: UInt64 = 0
    var waiting: [(isReached: (borrowing State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    /// Removes the waiting tests whose condition holds.
    mutating func takeReached() -> [CheckedContinuation<Void, Never>] {
      var reached: [CheckedContinuation<Void, Never>] = []
      var rest: [(isReached: (borrowing State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
      for waiting in waiting {
        if waiting.isReached(self) { reached.append(waiting.continuation) } else { rest.append(waiting) }
      }
      waiting = rest
      return reached
    }
  }

  /// The base of all URLs.
  let base = "https://settings.example"
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "test-server")

  /// The URLs of all requests so far.
  var urls: [String] { state.withLock { $0.urls } }

  /// The number of requests that were cancelled so far.
  var cancellationCount: Int { state.withLock { $0.cancelled } }

  /// Sets the answer to requests for a path.
  func put(_ path: String, _ body: String, status: Int32 = 200, _ headers: [(String, String)] = []) {
    var parsed = ResponseHeaders()
    for (name, value) in headers { parsed.add(name: name, value: value, nowMs: SystemClock().nowMs) }
    let content = (try? body.withBytes(ReceivedBody.init(copying:))) ?? ReceivedBody()
    let response = HTTPResponse(status: status, url: "", headers: parsed, content: content)
    state.withLock { $0.outcomes[path] = .success(response) }
  }

  /// Keeps answers until `release`.
  func hold() { state.withLock { $0.isHolding = true } }

  /// Sends the answers that were kept, and later ones at once.
  func release() {
    let held = state.withLock { state in
      defer { (state.isHolding, state.held) = (false, []) }
      return state.held
    }
    for answer in held { send(answer.outcome, to: answer.completion) }
  }

  /// Waits until so many requests were received.
  func requests(_ count: Int) async { await wait { $0.urls.count >= count } }

  /// Waits until so many requests were cancelled.
  func cancellations(_ count: Int) async { await wait { $0.cancelled >= count } }

  func start(_ request: HTTPRequest, completion: @escaping Completion) throws(Remora.RemoraError) -> TransferID {
    let (id, outcome, reached) = state.withLock { state in
      state.urls.append(request.url)
      state.count += 1
      let id = TransferID(number: state.count)
      let path = request.url.dropFirst(base.count).prefix { $0 != "?" }
      let missing = Outcome.success(HTTPResponse(status: 404, url: ""))
      let outcome = state.outcomes[tagged(String(path), request.url)] ?? missing
      if state.isHolding { state.held.append(Held(id: id, outcome: outcome, completion: completion)) }
      return (id, state.isHolding ? nil : outcome, state.takeReached())
    }
    if let outcome { send(outcome, to: completion) }
    for continuation in reached { continuation.resume() }
    return id
  }

  @discardableResult
  func cancel(_ id: TransferID) -> Bool {
    let (wasHeld, reached) = state.withLock { state in
      state.cancelled += 1
      let count = state.held.count
      state.held.removeAll { $0.id == id }
      return (state.held.count < count, state.takeReached())
    }
    for continuation in reached { continuation.resume() }
    return wasHeld
  }

  /// Never on the caller's thread, because the engine holds its lock while it starts a transfer.
  private func send(_ outcome: Outcome, to completion: @escaping Completion) {
    queue.async { completion(outcome) }
  }

  /// Returns the path with the tag of the request, if it has one.
  private func tagged(_ path: String, _ url: String) -> String {
    url.firstRange(of: "tag=").map { "\(path)#\(url[$0.upperBound...])" } ?? path
  }

  private func wait(_ isReached: @escaping @Sendable (borrowing State) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isReachedNow = state.withLock { state in
        guard !isReached(state) else { return true }
        state.waiting.append((isReached, continuation))
        return false
      }
      if isReachedNow { continuation.resume() }
    }
  }
}
