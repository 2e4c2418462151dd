// SPDX-License-Identifier: Apache-2.0

/// One completed attempt to refresh a source, or request to a monitor.
package struct Attempt: Sendable {
  package let source: SourceLabel
  package let result: RefreshResult
  package var figures = Figures()

  /// The cost of the attempt, which hosts can record.
  package struct Figures: Sendable {
    /// The duration; waiting for another process does not count.
    package var durationMs: Int64 = 0
    /// The decoded bytes of all bodies.
    package var bytes: Int64 = 0
    /// The status of the last response, or 0.
    package var httpStatus: Int32 = 0
    private let startMs: Int64

    init() { startMs = monotonicMs() }

    mutating func note(_ answer: Result<HTTPResponse, RemoraError>) {
      let response: HTTPResponse
      switch answer {
      case .success(let arrived): response = arrived
      case .failure(let error):
        httpStatus = error.httpStatus
        return
      }
      bytes += Int64(response.content.count)
      httpStatus = response.status
    }

    /// Returns the figures at the end of the attempt.
    func ended() -> Figures {
      var figures = self
      figures.durationMs = monotonicMs() - startMs
      return figures
    }
  }
}
