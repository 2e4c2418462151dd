// SPDX-License-Identifier: Apache-2.0
//
// The outcome of a refresh, and the cause of an event.

/// The outcome of a refresh; raw values are those of the C header.
package enum Outcome: Int32, Sendable {
  case none = 0
  case updated = 1
  case unchanged = 2
  case notNewer = 3
  case staged = 4
  case refused = 5
  case failed = 6
}

/// The cause of an event; raw values are those of the C header.
package enum Cause: Int32, Sendable {
  case opened = 1
  case refreshed, adopted, reset, context, override, activated, rejected, freshness
}
