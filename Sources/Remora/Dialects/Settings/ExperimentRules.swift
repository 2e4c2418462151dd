// SPDX-License-Identifier: Apache-2.0
//
// Finds the experiments of an image, and those that are new since another image.

/// Finds in an image the experiments of which a client is part.
package struct ExperimentRules: Sendable {
  /// Returns the experiments of an image that the previous image does not have, or has with another variant.
  package func new(in image: Image, since before: Image?) -> [ExperimentID] {
    var known: [[UInt8]: [UInt8]] = [:]
    for id in before.map(ids) ?? [] { known[id.name] = id.variant }
    return ids(of: image).filter { known[$0.name] != $0.variant }
  }

  private func ids(of image: Image) -> [ExperimentID] {
    var found: [ExperimentID] = []
    Experiments(of: image.reader(over: nil))?.forEach { experiment in
      found.append(ExperimentID(experiment))
      return true
    }
    return withExtendedLifetime(image) { found }
  }
}

extension Dialect {
  /// Returns the experiments of an image that the previous image does not have, or has with another variant.
  package func newExperiments(in image: Image, since before: Image?) -> [ExperimentID] {
    experiments?.new(in: image, since: before) ?? []
  }
}

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
