// SPDX-License-Identifier: Apache-2.0
//
// Simulates a fleet of clients over one server, in virtual time: the real engine without threads, as Tests/Simulation
// uses it. Counts the requests of each second.
//
// usage: fleet SCENARIO [--clients N] [--interval SECONDS] [--seed N] [--every-second 1]
//
// The engine checks its schedule once a second. To save time, a client is run only from the second that the random
// numbers it has drawn predict; see `Host.nextSecond`. --every-second runs all clients in each second, and must have
// the same result.
//
// Prints a line "<second> <requests>" for each second.

import Glibc
import Remora

/// The response of the simulated server.
enum Response {
  case unchanged
  /// The connection fails.
  case unreachable
  /// Status 503, with a Retry-After header of this many seconds.
  case busy(retryAfterSeconds: Int64)
}

/// A server over time. All clients start together; in the second interval the server fails.
enum Scenario: String, CaseIterable {
  /// The server does not fail.
  case start
  case outage
  case busyForTwoMinutes = "busy-for-two-minutes"
  /// Retry-After is a date: the end of the second interval, for all clients.
  case busyUntilADate = "busy-until-a-date"

  /// The number of simulated intervals.
  static let intervals: Int64 = 4

  func response(second: Int64, interval: Int64) -> Response {
    guard second / interval == 1 else { return .unchanged }
    return switch self {
    case .start: .unchanged
    case .outage: .unreachable
    case .busyForTwoMinutes: .busy(retryAfterSeconds: 120)
    case .busyUntilADate: .busy(retryAfterSeconds: 2 * interval - second)
    }
  }
}

/// The clock of all clients. `@unchecked Sendable`: a simulation has one thread.
final class VirtualClock: Clock, @unchecked Sendable {
  var second: Int64 = 0
  var nowMs: Int64 { 1_796_000_000_000 + second * 1000 }
  var monotonicMs: Int64 { 1_000_000 + second * 1000 }
}

/// SplitMix64. `@unchecked Sendable`: a simulation has one thread.
final class Random: @unchecked Sendable {
  private var state: UInt64
  /// The smallest number since the last call of `takeSmallest`.
  private var smallest: UInt32?

  init(seed: UInt64) { state = seed }

  /// Returns a number for the engine.
  func draw() -> UInt32 {
    let number = UInt32(truncatingIfNeeded: next())
    smallest = min(smallest ?? number, number)
    return number
  }

  /// Returns the smallest number that was drawn, between 0 and 1; nil if none was.
  func takeSmallest() -> Double? {
    defer { smallest = nil }
    return smallest.map { Double($0) / 4_294_967_296 }
  }

  func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// The connection of one client to the server. `@unchecked Sendable`: a simulation has one thread.
final class FleetTransport: Transport, @unchecked Sendable {
  private var pending: [(id: TransferID, request: HTTPRequest, completion: Completion)] = []
  private var lastNumber: UInt64 = 0
  /// The number of requests since the last call of `takeCount`.
  private var count = 0

  func start(_ request: HTTPRequest, completion: @escaping Completion) throws(RemoraError) -> TransferID {
    count += 1
    lastNumber += 1
    let id = TransferID(number: lastNumber)
    pending.append((id, request, completion))
    return id
  }

  func cancel(_ id: TransferID) -> Bool {
    guard let index = pending.firstIndex(where: { $0.id == id }) else { return false }
    pending.remove(at: index)
    return true
  }

  /// Answers all requests. Returns whether there was one.
  func answer(_ response: Response, nowMs: Int64) -> Bool {
    let answered = pending
    pending = []
    for one in answered { one.completion(result(of: one.request, response, nowMs: nowMs)) }
    return !answered.isEmpty
  }

  private func result(
    of request: HTTPRequest, _ response: Response, nowMs: Int64
  ) -> Result<HTTPResponse, RemoraError> {
    switch response {
    case .unchanged:
      let body = #"{"metadata":{},"timestamp":1,"changes":[]}"#
      let content = (try? body.withBytes(ReceivedBody.init(copying:))) ?? ReceivedBody()
      return .success(HTTPResponse(status: 200, url: request.url, content: content))
    case .unreachable: return .failure(RemoraError(.network, "the connection failed"))
    case .busy(let seconds):
      var headers = ResponseHeaders()
      headers.add(name: "Retry-After", value: "\(seconds)", nowMs: nowMs)
      return .success(HTTPResponse(status: 503, url: request.url, headers: headers))
    }
  }

  func takeCount() -> Int {
    defer { count = 0 }
    return count
  }
}

/// One process: a runtime, a client, and a collection with automatic refreshes.
final class Host {
  private let runtime: Runtime
  private let transport = FleetTransport()
  private let client: Client
  private let source: OpenSource
  private let clock: VirtualClock
  private let random: Random
  private let interval: Int64
  /// The number of failed requests since the last success; nil before the first request.
  private var failures: Int?
  /// The end of the pause that the server requested.
  private var pauseEnd: Int64 = 0

  init(_ clock: VirtualClock, intervalSeconds: Int64, random: Random) throws {
    self.clock = clock
    self.random = random
    interval = intervalSeconds
    var services = ProcessServices()
    services.time.monotonicMs = { clock.monotonicMs }
    services.time.wait = { _ in false }
    services.startThread = nil
    services.setForkHandlers = {}
    services.setExitHandler = {}
    services.loadLibraries = {}
    runtime = Runtime(services)
    var options = ClientOptions(storage: nil)
    try options.setCollectionDefaults(server: "http://127.0.0.1/v2")
    options.callbacks = .dispatch
    options.clock = clock
    options.random = { random.draw() }
    options.transport = transport
    client = try Client(options, runtime: runtime)
    var collection = CollectionOptions()
    collection.collection = "settings"
    collection.requiresSignature = false
    collection.opening.refreshIntervalMs = intervalSeconds * 1000
    source = try client.openCollection(collection)
  }

  /// Runs the jobs that are due, and answers the requests. Returns the number of requests.
  func run(_ response: Response) -> Int {
    repeat { while runtime.worker.runNextJob() {} } while transport.answer(response, nowMs: clock.nowMs)
    let count = transport.takeCount()
    guard count > 0 else { return 0 }
    if case .unchanged = response { failures = 0 } else { failures = (failures ?? 0) + 1 }
    if case .busy(let seconds) = response { pauseEnd = clock.second + seconds }
    return count
  }

  /// Returns the next second in which the client may send a request, or an earlier one. Repeats the rules of
  /// `RefreshSchedule`, with its constants.
  func nextSecond(afterRequests count: Int) -> Int64 {
    let next = clock.second + 1
    guard let part = random.takeSmallest() else { return next }
    let whole = Double(interval)
    if count == 0, failures != nil {
      return max(next, pauseEnd + Int64(part * min(whole, seconds(RefreshSchedule.longestSpreadMs))))
    }
    let wait =
      switch failures {
      case nil: part * whole
      case 0: whole / 2 + part * whole / 2
      case let number?:
        max(
          min(whole / 2, seconds(RefreshSchedule.shortestRetryMs)),
          part * min(whole, seconds(RefreshSchedule.longestRetryMs(afterFailures: UInt32(number)))))
      }
    return max(next, clock.second + Int64(wait))
  }

  private func seconds(_ ms: Int64) -> Double { Double(ms) / 1000 }
}

/// The arguments of the program.
struct Options {
  var scenario = Scenario.start
  var clients = 100_000
  var interval: Int64 = 300
  var seed: UInt64 = 1
  var runsEverySecond = false

  init?(_ arguments: [String]) {
    guard let scenario = arguments.dropFirst().first.flatMap(Scenario.init(rawValue:)) else { return nil }
    self.scenario = scenario
    var rest = arguments.dropFirst(2)[...]
    while let name = rest.popFirst() {
      guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else { return nil }
      switch name {
      case "--clients": clients = number
      case "--interval": interval = Int64(number)
      case "--seed": seed = UInt64(number)
      case "--every-second": runsEverySecond = true
      default: return nil
      }
    }
  }
}

@main
enum Main {
  static func main() throws {
    guard let options = Options(CommandLine.arguments) else {
      let text = "usage: fleet SCENARIO [--clients N] [--interval SECONDS] [--seed N] [--every-second 1]\n"
      _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
      exit(2)
    }
    let clock = VirtualClock()
    let seeds = Random(seed: options.seed)
    let hosts = try (0..<options.clients).map { _ in
      try Host(clock, intervalSeconds: options.interval, random: Random(seed: seeds.next()))
    }
    let end = options.interval * Scenario.intervals
    // The clients to run, by second.
    var agenda = [[Int]](repeating: [], count: Int(end))
    agenda[0] = Array(hosts.indices)
    for second in 0..<end {
      clock.second = second
      let response = options.scenario.response(second: second, interval: options.interval)
      var requests = 0
      for index in agenda[Int(second)] {
        let sent = hosts[index].run(response)
        requests += sent
        let next = options.runsEverySecond ? second + 1 : hosts[index].nextSecond(afterRequests: sent)
        if next < end { agenda[Int(next)].append(index) }
      }
      agenda[Int(second)] = []
      print(second, requests)
    }
  }
}
