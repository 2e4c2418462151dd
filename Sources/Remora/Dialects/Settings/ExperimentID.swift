// SPDX-License-Identifier: Apache-2.0
//
// Experiments by their names and variants, apart from the images that hold them.

/// An experiment with its variant, by their texts.
package struct ExperimentID: Hashable, Sendable {
  let name: [UInt8]
  let variant: [UInt8]

  init(name: [UInt8], variant: [UInt8]) {
    self.name = name
    self.variant = variant
  }

  init(_ experiment: Experiment) {
    name = Array(experiment.name)
    variant = Array(experiment.variant)
  }
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
