// SPDX-License-Identifier: Apache-2.0
//
// What hosts measure: one line of figures for each attempt to refresh, and for each question to a monitor.

/// One attempt, after its end.
package struct Attempt: Sendable {
  package let source: SourceLabel
  package let result: RefreshResult
  package var figures = Figures()

  /// What it cost.
  package struct Figures: Sendable {
    /// Since its beginning; waiting for another process does not count.
    package var durationMs: Int64 = 0
    /// Bytes of all bodies, decoded.
    package var bytes: Int64 = 0
    /// The status of the last answer, or 0.
    package var httpStatus: Int32 = 0
    /// When it began, by the monotonic clock.
    private let startMs: Int64

    init() { startMs = monotonicMs() }

    /// Counts an answer.
    mutating func note(_ answer: Result<HTTPResponse, RemoraError>) {
      let response: HTTPResponse
      switch answer {
      case .success(let arrived): response = arrived
      case .failure(let error):
        httpStatus = error.httpStatus
        return
      }
      bytes += Int64(response.body.count)
      httpStatus = response.status
    }

    /// The figures at the end.
    func ended() -> Figures {
      var figures = self
      figures.durationMs = monotonicMs() - startMs
      return figures
    }
  }
}
