// SPDX-License-Identifier: Apache-2.0
//
// Limits the number of requests to one server that are in progress at the same time. The transports use it on their
// driving thread, or under their lock.

/// The requests of a transport. At most `mostAtOnce` requests to one server are in progress; the others wait in order.
struct RequestQueues<Request> {
  private struct Server {
    var inProgress = 0
    /// May still contain requests that were removed.
    var waiting = Queue<TransferID>()
  }

  private typealias Waiting = (request: Request, server: String, dueMs: Int64)

  /// The maximum number of requests to one server that are in progress.
  static var mostAtOnce: Int { 8 }

  /// The servers with requests in progress, by their origins.
  private var servers: [String: Server] = [:]
  /// The servers of the requests in progress.
  private var inProgress: [TransferID: String] = [:]
  private var waiting: [TransferID: Waiting] = [:]
  /// A time before which no waiting request is late; nil if all of them wait without a time limit.
  private(set) var nextDueMs: Int64?

  /// Adds a request. Returns whether it begins at once; else it waits.
  ///
  /// - Parameter dueMs: The monotonic time at which its time limit is over; `.max` means that it has no limit.
  mutating func add(_ id: TransferID, _ request: Request, to server: String, dueMs: Int64) -> Bool {
    guard servers[server, default: Server()].inProgress >= Self.mostAtOnce else {
      begin(id, of: server)
      return true
    }
    servers[server]?.waiting.append(id)
    waiting[id] = (request, server, dueMs)
    if dueMs < .max { nextDueMs = min(dueMs, nextDueMs ?? .max) }
    return false
  }

  /// Removes a request that has ended or was cancelled. Returns the request that begins in its place, if any.
  mutating func remove(_ id: TransferID) -> Request? {
    guard waiting.removeValue(forKey: id) == nil, let server = inProgress.removeValue(forKey: id) else { return nil }
    servers[server]?.inProgress -= 1
    while let next = servers[server]?.waiting.removeFirst() {
      guard let found = waiting.removeValue(forKey: next) else { continue }
      begin(next, of: server)
      return found.request
    }
    if servers[server]?.inProgress == 0 { servers[server] = nil }
    return nil
  }

  /// Removes the waiting requests whose time limit is over, and returns them.
  mutating func removeLate(nowMs: Int64) -> [Request] {
    guard let due = nextDueMs, due <= nowMs else { return [] }
    let late = waiting.filter { $0.value.dueMs <= nowMs }
    for id in late.keys { waiting[id] = nil }
    nextDueMs = waiting.values.map(\.dueMs).min().flatMap { $0 < .max ? $0 : nil }
    return late.sorted { $0.key.number < $1.key.number }.map(\.value.request)
  }

  /// Removes all requests. Returns those that wait, in order.
  mutating func removeAll() -> [Request] {
    defer { self = RequestQueues() }
    return waiting.sorted { $0.key.number < $1.key.number }.map(\.value.request)
  }

  private mutating func begin(_ id: TransferID, of server: String) {
    servers[server, default: Server()].inProgress += 1
    inProgress[id] = server
  }
}
