// SPDX-License-Identifier: Apache-2.0
//
// Experiments are announced once: when the storage's live image begins to have them, by who made it so, with the next
// event of its source. So the image before is all the memory that this needs; who adopts an image announces nothing.

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

extension Source {
  /// The image whose experiments were announced: the live one; or what the storage has as live, while what is live here
  /// is announced by who makes it so there.
  func toldImage(_ right: borrowing Exclusive) -> Image? {
    guard isLiveUntold, let storage else { return live.base }
    return (try? storedImage(.live, in: storage)) ?? packaged?.image
  }

  /// What the next event is to announce, for a subscriber of the whole source: it is announced then.
  func takeUntoldExperiments(_ locked: borrowing Locked) -> [ExperimentID] {
    defer { untoldExperiments = [] }
    return untoldExperiments
  }
}

/// An image that became live here while its file is still the staged one.
struct OwedPromotion {
  let image: Image
  /// What that brings, to be announced by who promotes the file.
  let experiments: [ExperimentID]
  /// Keys that it removes, whose stored overrides end first.
  var removedKeys: [[UInt8]]
}
