// SPDX-License-Identifier: Apache-2.0
//
// Which experiments an image has, and which of them are new since another image.

/// How images say which experiments a client is part of.
package struct ExperimentRules: Sendable {
  /// Experiments that an image has and the one before it had not, or with another variant.
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
  /// Experiments that an image has and the one before it had not, or with another variant.
  package func newExperiments(in image: Image, since before: Image?) -> [ExperimentID] {
    experiments?.new(in: image, since: before) ?? []
  }
}
