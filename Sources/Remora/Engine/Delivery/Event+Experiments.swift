// SPDX-License-Identifier: Apache-2.0
//
// The new experiments of an event.

extension Event {
  /// The new experiments, in the order of `new` and valid as long as `new`. Those that are no longer live are omitted.
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
