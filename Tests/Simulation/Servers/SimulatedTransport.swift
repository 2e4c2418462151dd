// SPDX-License-Identifier: Apache-2.0
//
// The requests of one process: each waits until the simulation answers it.

import Remora

/// A request that waits.
struct PendingRequest {
  let id: TransferID
  let request: HTTPRequest
  let completion: Transport.Completion
}

/// `@unchecked Sendable`: a simulation has one thread.
final class SimulatedTransport: Transport, @unchecked Sendable {
  private(set) var pending: [PendingRequest] = []
  private var lastNumber: UInt64 = 0
  /// Called with each request.
  private let onStart: (HTTPRequest) -> Void

  init(onStart: @escaping (HTTPRequest) -> Void) { self.onStart = onStart }

  func start(_ request: HTTPRequest, completion: @escaping Completion) throws(RemoraError) -> TransferID {
    onStart(request)
    lastNumber += 1
    let id = TransferID(number: lastNumber)
    pending.append(PendingRequest(id: id, request: request, completion: completion))
    return id
  }

  @discardableResult
  func cancel(_ id: TransferID) -> Bool { take(id) != nil }

  /// Removes a request, to be answered.
  func take(_ id: TransferID) -> PendingRequest? {
    guard let index = pending.firstIndex(where: { $0.id == id }) else { return nil }
    return pending.remove(at: index)
  }
}
