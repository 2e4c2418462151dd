// SPDX-License-Identifier: Apache-2.0
//
// What must hold at every step, by number:
//
//  1. Within an epoch no process shows a version below the highest that it has shown, or that was stored before.
//  2. What is readable is what the server signed or meant, and nothing else.
//  3. A failed or refused step leaves live and staged data as they were.
//  4. What a refresh has stored without a problem is there after any crash, or something newer.
//  5. The cell, `info()`, the overrides and the results of waits agree.
//  6. Of each subscription, an event begins where the one before it ended; there is none after the end.
//  7. Each slot is absent, whole, or detected as damaged; the previous image is never damaged.
//  8. Only the owner of a source's byte writes its files.
//  9. After a reset, no opening shows earlier data. A reset that fails or is interrupted has deleted all or nothing.
// 10. Overrides that were stored survive any crash; cleared ones never return.
// 11. Staged data becomes live by an activation or by the next client only.
// 12. An experiment is reported at most once, while no call on a file fails.
// 13. A process with nothing under way holds no files; everything that is under way ends.
// 14. No request goes to a server during its backoff, except forced ones and those with a push version.
// 15. A seed never replaces anything newer, and stays until it is stored.
// 16. After a close nothing is left; each callback is released once, outside the lock.
// 17. Rejected content is not readable: at once in the process that has rejected it, and in others after their next
//     look, until a reset. No process accepts it again.
// 18. The newest version that was live for ten minutes stays stored, whatever is published and rejected after it.
// 19. A rejection that fails, is repeated or is cut off leaves the files as they were before or as it wants them.

import Remora

/// What is expected of the data of one kind, beyond the life of a process.
struct Expected {
  /// The newest version that was stored without a problem, with its epoch.
  var stored: (epoch: UInt64, version: Int64)?
  /// The number that the settings stored then have; nil where that is unknown.
  var storedNumber: Int64?
  /// What was stored when a reset began that has not returned.
  var beforeReset: (epoch: UInt64, version: Int64)?
  /// The oldest epoch that an opening may show.
  var leastEpoch: UInt64 = 0
  /// Whether a power cut may undo the last reset.
  var isResetUncertain = false
  /// The name of its files, once it was opened.
  var name: StorageName?
  /// The newest version that was live, or accepted from a seed, since the last reset.
  var newestVersion: Int64 = .min
  /// The newest epoch that was seen.
  var newestEpoch: UInt64 = 0
  /// How often it was reset, or damaged.
  var disturbances = 0
  /// The overrides that are stored; nil when that is uncertain.
  var overrides: OverrideList? = OverrideList()
  /// How often a host has begun to change them.
  var overrideChanges = 0
  /// Whether a failure has made the stored overrides uncertain for good.
  var areOverridesUncertain = false
  /// The process that has reported each experiment.
  var announced: [String: Int] = [:]
  /// Whether a failure of the storage may have led to data that is in memory only.
  var mayAnnounceTwice = false
  /// What is expected of rejections.
  var rejections = Rejections()
}

/// The checks.
final class Invariants {
  unowned let world: World
  var expected: [Kind: Expected] = [:]
  /// The versions that the server answered to a process, by kind; nil where an answer stands for none.
  var answered: [Int: [Kind: [Int?]]] = [:]
  /// When a process may ask again, by kind and the monotonic clock.
  var backoffUntilMs: [Int: [Kind: Int64]] = [:]
  /// How many resets are under way.
  var resetting = 0
  /// The checksums of the contents that were found right.
  var checked: Set<UInt64> = []
  /// How often the invariants of rejections were checked.
  let counts: RejectionCounts
  /// The numbers of settings, by the checksums of their images.
  var numbers: [UInt64: Int64] = [:]

  init(of world: World, _ counts: RejectionCounts) {
    self.world = world
    self.counts = counts
    for kind in Kind.allCases { expected[kind] = Expected() }
  }

  func fail(_ invariant: Int, _ text: String) { world.fail(invariant, text) }

  func update(_ kind: Kind, _ change: (inout Expected) -> Void) {
    if var now = expected[kind] {
      change(&now)
      expected[kind] = now
    }
  }

  func now(_ kind: Kind) -> Expected { expected[kind] ?? Expected() }

  // MARK: What happens to the machine

  /// A process that cannot read the live file cannot know which experiments were reported. A reset that could not be
  /// synced may be undone by a power cut, when it has removed the images.
  func callFailed() {
    for kind in Kind.allCases {
      update(kind) { expected in
        expected.mayAnnounceTwice = true
        expected.beforeReset = nil
      }
    }
  }

  func powerWasCut() {
    for kind in Kind.allCases {
      update(kind) { expected in
        expected.mayAnnounceTwice = true
        // The epoch of a reset that did not return may be lost.
        expected.newestEpoch = expected.leastEpoch
        guard expected.isResetUncertain else { return }
        expected.isResetUncertain = false
        // What is stored from now on may be of the epoch before.
        expected.stored = nil
        expected.disturbances += 1
        expected.rejections.returned = [:]
        expected.rejections.veteran = nil
      }
    }
  }

  func wasKilled(_ process: SimulatedProcess) {
    // A call that was under way may have stored its overrides or not.
    if process.isChangingOverrides { for kind in Kind.allCases { update(kind) { $0.areOverridesUncertain = true } } }
  }

  func wasDamaged(_ name: String) {
    for kind in Kind.allCases {
      update(kind) { expected in
        expected.stored = nil
        expected.beforeReset = nil
        expected.disturbances += 1
        expected.mayAnnounceTwice = true
        expected.rejections.veteran = nil
      }
    }
  }
}
