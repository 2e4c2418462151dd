// SPDX-License-Identifier: Apache-2.0
//
// The experiments that an event announces.

extension Event {
  /// What it announces, in the order of `new`, and valid as long as that. What is not live any more is not announced.
  package var newExperiments: [Experiment] {
    guard !newExperimentIDs.isEmpty else { return [] }
    let wanted = Set(newExperimentIDs)
    var found: [Experiment] = []
    Experiments(of: new.reader.pointee)?.forEach { experiment in
      if wanted.contains(ExperimentID(experiment)) { found.append(experiment) }
      return true
    }
    return found
  }
}
