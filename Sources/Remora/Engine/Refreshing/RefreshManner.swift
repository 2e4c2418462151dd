// SPDX-License-Identifier: Apache-2.0
//
// The options of one caller of a refresh, which decide whether the caller can share a running one.

/// The information about one source in a monitor's response.
struct Announcement: Sendable {
  /// The version, or 0.
  var version: Int64 = 0
  /// The backoff that the monitor's response requested. It begins after the refreshes that the response caused.
  var backoff = Backoff()
}

/// The options of a caller for a refresh.
package struct RefreshManner: Sendable {
  /// Whether to ignore the server's backoff and not to share a request.
  package var isForced = false
  /// Whether a response that was already received is acceptable, as for a caller that waits for fresh data.
  var acceptsAnswered = false
  /// The announcement of a new version.
  var announced = Announcement()
  /// Whether the caller received the announcement itself: a request without that version might return older data.
  var isPushed = false
  /// The host's name of the option that contains that version, for errors.
  private var expectedName: StaticString = "expected_version"

  package init() {}

  /// - Parameters:
  ///   - expected: The version in the announcement, or 0.
  ///   - name: The host's name of the option `expected`, for errors.
  package init(isForced: Bool, expected: Int64, named name: StaticString = "expected_version") {
    self.isForced = isForced
    announced.version = expected
    isPushed = expected > 0
    expectedName = name
  }

  init(acceptsAnswered: Bool) { self.acceptsAnswered = acceptsAnswered }

  init(announced: Announcement) { self.announced = announced }

  /// Checks that the kind of the source accepts the options.
  ///
  /// - Throws: `.invalidArgument` naming the option.
  func requireAccepted(by dialect: any Dialect) throws(RemoraError) {
    guard !isPushed || dialect.acceptsExpectedVersion else {
      throw .invalidArgument("\(expectedName) (an option for collections only)", "must be 0")
    }
  }
}
