// SPDX-License-Identifier: Apache-2.0
//
// Experiments by their names and variants, apart from the images that hold them.

/// An experiment with its variant, by their texts.
package struct ExperimentID: Hashable, Sendable {
  let name: [UInt8]
  let variant: [UInt8]
}

extension ExperimentID {
  init(_ experiment: Experiment) { self.init(name: Array(experiment.name), variant: Array(experiment.variant)) }
}

extension [ExperimentID] {
  /// These and later ones, each in the place of the one of its name.
  func adding(_ later: [ExperimentID]) -> [ExperimentID] {
    guard !later.isEmpty else { return self }
    let names = Set(later.map(\.name))
    return filter { !names.contains($0.name) } + later
  }

  mutating func add(_ later: [ExperimentID]) { self = adding(later) }
}
