// SPDX-License-Identifier: Apache-2.0
//
// Repairs of a storage directory that its users should know of. The store has no log; a client reports them.

/// A set of repairs.
package struct DirectoryRepairs: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The host has closed the descriptor of the directory, so the directory was opened again.
  package static var descriptor: DirectoryRepairs { DirectoryRepairs(rawValue: 1) }
  /// Returns a warning for each repair.
  package func warnings(_ path: String) -> [String] {
    var warnings: [String] = []
    if contains(.descriptor) {
      warnings.append("\(path) was opened again, because the program has closed the library's file descriptors")
    }
    return warnings
  }
}
