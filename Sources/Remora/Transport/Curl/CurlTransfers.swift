// SPDX-License-Identifier: Apache-2.0
//
// The transfers of a libcurl multi handle, and the handle that the next transfer reuses. Used by the driving thread
// only. Invariant: a transfer is in the table as long as its handle is in the multi handle.

internal import CCurl

struct CurlTransfers {
  typealias Outcome = (id: TransferID, result: Result<HTTPResponse, RemoraError>)

  private let multi: UnsafeMutableRawPointer
  private let sockets: UnsafeMutablePointer<CurlSockets>
  private var all: [UnsafeMutableRawPointer: CurlTransfer] = [:]
  /// The handle of the last completed transfer, for the next request that it fits.
  private var spare: CurlHandle?

  /// Creates an empty table. The owner of both pointers frees them after `dropAll` and `freeSpare`.
  init(multi: UnsafeMutableRawPointer, sockets: UnsafeMutablePointer<CurlSockets>) {
    self.multi = multi
    self.sockets = sockets
  }

  var isEmpty: Bool { all.isEmpty }

  /// Begins a request.
  mutating func begin(_ arrival: CurlArrival, nowMs: Int64) throws(RemoraError) {
    let handle = try takeHandle(for: arrival.request, url: arrival.url)
    let transfer = try CurlTransfer(arrival, nowMs: nowMs, handle: handle)
    let code = rcurl_multi_add_handle(multi, transfer.easy)
    guard code == RCURLM_OK else {
      transfer.cleanUp()
      throw .transfer(.network, String(cString: rcurl_multi_strerror(code)), url: arrival.url)
    }
    all[transfer.easy] = transfer
  }

  /// Lets libcurl work, and returns the outcomes of transfers that ended.
  mutating func takeEnded() -> [Outcome] {
    var outcomes: [Outcome] = []
    let problem = rcurl_multi_perform(multi)
    var code = RCURLE_OK
    while let easy = rcurl_multi_next_done(multi, &code) {
      guard let transfer = all[easy] else { continue }
      outcomes.append((transfer.id, transfer.outcome(code)))
      if code == RCURLE_OK { finish(transfer) } else { drop(transfer) }
    }
    if problem != RCURLM_OK {
      let error = RemoraError(.network, "libcurl: " + String(cString: rcurl_multi_strerror(problem)))
      outcomes += all.values.map { ($0.id, .failure(error)) }
      dropAll()
    }
    return outcomes
  }

  /// Removes transfers that were cancelled.
  mutating func drop(_ cancelled: Set<TransferID>) {
    guard !cancelled.isEmpty else { return }
    for transfer in all.values where cancelled.contains(transfer.id) { drop(transfer) }
  }

  /// Removes all transfers.
  mutating func dropAll() { for transfer in all.values { drop(transfer) } }

  /// Forgets all transfers and the spare handle without calling libcurl; they leak by design. Returns the outcomes.
  mutating func abandon(_ error: RemoraError) -> [Outcome] {
    let outcomes = all.values.map { Outcome($0.id, .failure(error)) }
    leak(all)
    leak(spare)
    (all, spare) = ([:], nil)
    return outcomes
  }

  /// Frees the spare handle.
  mutating func freeSpare() {
    spare?.free()
    spare = nil
  }

  /// Returns a handle for a request: the spare one if it fits, else a new one.
  private mutating func takeHandle(for request: HTTPRequest, url: ParsedURL) throws(RemoraError) -> CurlHandle {
    guard let handle = spare, handle.fits(request) else {
      return try CurlHandle(for: request, url: url, sockets: sockets)
    }
    spare = nil
    return handle
  }

  /// Removes a transfer that libcurl completed. Keeps its handle if this version of libcurl allows its reuse.
  private mutating func finish(_ transfer: CurlTransfer) {
    all[transfer.easy] = nil
    _ = rcurl_multi_remove_handle(multi, transfer.easy)
    guard rcurl_may_reuse_handles() else { return transfer.cleanUp() }
    spare?.free()
    spare = transfer.takeHandle()
  }

  /// Removes a transfer; libcurl closes its connection if a response is incomplete.
  private mutating func drop(_ transfer: CurlTransfer) {
    all[transfer.easy] = nil
    _ = rcurl_multi_remove_handle(multi, transfer.easy)
    transfer.cleanUp()
  }
}
