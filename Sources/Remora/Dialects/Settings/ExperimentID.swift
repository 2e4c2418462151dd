// SPDX-License-Identifier: Apache-2.0
//
// Names and variants of experiments, independent of the images that contain them.

/// An experiment and its variant, identified by their names.
package struct ExperimentID: Hashable, Sendable {
  let name: [UInt8]
  let variant: [UInt8]
}

extension ExperimentID {
  init(_ experiment: Experiment) { self.init(name: Array(experiment.name), variant: Array(experiment.variant)) }
}

extension [ExperimentID] {
  /// Returns these experiments and later ones; a later one replaces an earlier one of the same name.
  func adding(_ later: [ExperimentID]) -> [ExperimentID] {
    guard !later.isEmpty else { return self }
    let names = Set(later.map(\.name))
    return filter { !names.contains($0.name) } + later
  }

  mutating func add(_ later: [ExperimentID]) { self = adding(later) }
}
