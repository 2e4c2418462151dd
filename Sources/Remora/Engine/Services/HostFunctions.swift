// SPDX-License-Identifier: Apache-2.0

/// The functions that a host sets when it creates a client, which calls them until it is closed. Nil for each that is
/// not set.
package struct HostFunctions: ~Copyable {
  package var log: Log?
  package var onAttempt: (@Sendable (Attempt) -> Void)?
  /// Sends requests instead of libcurl.
  package var transport: HostCalls?
  /// Returns the time of the host's clock, which replaces the machine's.
  package var readClock: (@Sendable () -> HostTime?)?

  package init(
    log: Log? = nil, onAttempt: (@Sendable (Attempt) -> Void)? = nil, transport: HostCalls? = nil,
    readClock: (@Sendable () -> HostTime?)? = nil
  ) {
    self.log = log
    self.onAttempt = onAttempt
    self.transport = transport
    self.readClock = readClock
  }
}
