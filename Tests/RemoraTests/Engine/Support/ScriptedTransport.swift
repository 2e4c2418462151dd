// SPDX-License-Identifier: Apache-2.0
//
// A transport without a network: a script answers, at once or when the test says so.

@testable import Remora

/// What the outcome of a transfer is.
typealias HTTPOutcome = Result<HTTPResponse, RemoraError>

/// Answers requests from a script, on a thread that plays the driving thread.
final class ScriptedTransport: Transport {
  /// The answer to a request; nil holds it until `release`.
  typealias Script = @Sendable (HTTPRequest) -> HTTPOutcome?

  private struct State {
    var script: Script
    /// Without their destinations: what these hold ends with the transfer.
    var requests: [HTTPRequest] = []
    /// How many bytes each destination had; nil without one.
    var offsets: [Int?] = []
    var transfers: [TransferID: (request: HTTPRequest, completion: Completion)] = [:]
    /// Transfers that nobody answered yet, the oldest first.
    var held: [TransferID] = []
    var cancelled: [TransferID] = []
  }

  private static let numbers = Box<UInt64>(0)
  private let state: Box<State>
  /// Whether every cancel comes too late: the completion is about to run.
  private let ignoresCancel: Bool

  init(ignoresCancel: Bool = false, _ script: @escaping Script) {
    state = Box(State(script: script))
    self.ignoresCancel = ignoresCancel
  }

  /// Every request so far.
  var requests: [HTTPRequest] { state.read(\.requests) }

  /// The last part of every URL so far: `changeset?_expected=0`, `chain.pem`.
  var urls: [String] { requests.map { lastPart(of: $0.url) } }

  /// How many bytes the destination of each request had; nil without one.
  var offsets: [Int?] { state.read(\.offsets) }

  /// How many transfers were cancelled.
  var cancelCount: Int { state.read(\.cancelled.count) }

  /// Answers differently from now on.
  func answer(_ script: @escaping Script) { state.update { $0.script = script } }

  /// Waits until so many requests were made.
  func waitForRequests(_ count: Int) -> Bool { state.wait { $0.requests.count >= count } }

  /// Reports parts of the body to a request that was held, by default the oldest, as libcurl's transport does.
  func arrive(_ parts: [[UInt8]], toHeld index: Int = 0) {
    let arrival = state.read { state in
      state.held.dropFirst(index).first.flatMap { state.transfers[$0]?.request.arrival }
    }
    guard let arrival else { return }
    ScriptThread.run {
      for part in parts {
        if let arrived = try? part.withBytes(ReceivedBody.init(copying:)) { arrival(arrived) }
      }
    }
  }

  /// Answers the oldest request that was held.
  func release(_ outcome: HTTPOutcome) {
    guard let id = state.update({ $0.held.isEmpty ? nil : $0.held.removeFirst() }) else { return }
    deliver(outcome, to: id)
  }

  func start(_ request: HTTPRequest, completion: @escaping Completion) throws(RemoraError) -> TransferID {
    let id = TransferID(
      number: Self.numbers.update {
        $0 += 1; return $0
      })
    let outcome = state.read(\.script)(request)
    // In one step: who waits for the request may answer it at once.
    state.update { state in
      var recorded = request
      recorded.destination = nil
      recorded.arrival = nil
      state.requests.append(recorded)
      state.offsets.append(request.destination?.offset)
      state.transfers[id] = (request, completion)
      if outcome == nil { state.held.append(id) }
    }
    if let outcome { deliver(outcome, to: id) }
    return id
  }

  @discardableResult
  func cancel(_ id: TransferID) -> Bool {
    state.update { state in
      state.cancelled.append(id)
      return ignoresCancel ? false : state.transfers.removeValue(forKey: id) != nil
    }
  }

  /// Never on the caller's thread: the engine holds its lock while it starts a transfer.
  private func deliver(_ outcome: HTTPOutcome, to id: TransferID) {
    ScriptThread.run { [state] in
      // A destination is let go before the completion runs.
      let completion: Completion
      let end: HTTPOutcome
      do {
        guard let transfer = state.read({ $0.transfers[id] }) else { return }
        completion = transfer.completion
        end = stream(outcome, of: transfer.request)
      }
      guard state.update({ $0.transfers.removeValue(forKey: id) != nil }) else { return }
      completion(end)
    }
  }
}

/// Moves a body to its destination, as the driving thread does; 7,000 bytes at a time.
private func stream(_ outcome: HTTPOutcome, of request: HTTPRequest) -> HTTPOutcome {
  guard let destination = request.destination, case .success(var response) = outcome else { return outcome }
  let isCut = response.bodyEnd == HTTPResponse.cut
  var streamed = StreamedBody(destination)
  do throws(RemoraError) {
    try streamed.begin(
      status: Int(response.status), headers: response.headers, length: isCut ? nil : response.body.count,
      isEncoded: false)
    var rest = response.body[...]
    while !rest.isEmpty {
      try Array(rest.prefix(7000)).withBytes { bytes throws(RemoraError) in try streamed.receive(bytes) }
      rest = rest.dropFirst(7000)
    }
    guard !isCut, streamed.isWhole else { throw RemoraError(.network, "the connection was lost") }
  } catch {
    return .failure(error)
  }
  response.body = []
  response.bodyEnd = streamed.end
  return .success(response)
}

/// The one thread of all scripted transports; it ends with the process.
private enum ScriptThread {
  private static let queue = Box<[@Sendable () -> Void]>([])
  private static let thread = try? NamedThread.startAsHost(name: "test-io") {
    while true {
      guard queue.wait(until: { !$0.isEmpty }) else { continue }
      queue.update { $0.removeFirst() }()
    }
  }

  static func run(_ job: @escaping @Sendable () -> Void) {
    _ = thread
    queue.update { $0.append(job) }
  }
}

/// What follows the last slash.
func lastPart(of url: String) -> String { String(url.split(separator: "/").last ?? "") }

extension HTTPResponse {
  /// As `bodyEnd`: the connection is lost behind the body.
  static let cut = -1

  /// An answer with a text and headers, as the script of a test gives it.
  static func answer(_ status: Int32 = 200, _ body: String = "", _ headers: [(String, String)] = []) -> HTTPResponse {
    var parsed = ResponseHeaders()
    for (name, value) in headers { parsed.add(name: name, value: value, nowMs: TestTime.nowMs) }
    return HTTPResponse(status: status, url: "", headers: parsed, body: Array(body.utf8))
  }
}
