// SPDX-License-Identifier: Apache-2.0
//
// What can happen to a process at one of its system calls.

import Glibc

/// What happens at a system call.
enum Accident {
  /// The call fails, and changes nothing.
  case fails(Int32)
  /// A read or write does half of it.
  case isShort
  /// Other processes go on meanwhile.
  case yields
  /// The process is killed before the call.
  case kill
  /// The machine loses its power before the call.
  case powerCut
}

/// How often accidents happen: one in so many calls; 0 is never.
struct AccidentRates {
  var failure = 0
  var yield = 0
  var kill = 0
  var powerCut = 0

  /// Rates of a world: many worlds have no faults, so that what holds without them only can be checked.
  init(_ random: inout Random) {
    yield = [0, 20, 60][random.below(3)]
    guard random.oneIn(2) else { return }
    failure = [0, 40, 150][random.below(3)]
    kill = [0, 400, 1500][random.below(3)]
    powerCut = [0, 800, 3000][random.below(3)]
  }

  /// Whether something can fail.
  var hasFaults: Bool { failure > 0 || kill > 0 || powerCut > 0 }

  func draw(_ random: inout Random) -> Accident? {
    if failure > 0, random.oneIn(failure) {
      return random.oneIn(4) ? .isShort : .fails([EIO, ENOSPC, EINTR, EACCES][random.below(4)])
    }
    if kill > 0, random.oneIn(kill) { return .kill }
    if powerCut > 0, random.oneIn(powerCut) { return .powerCut }
    if yield > 0, random.oneIn(yield) { return .yields }
    return nil
  }
}
