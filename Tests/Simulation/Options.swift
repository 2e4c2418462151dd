// SPDX-License-Identifier: Apache-2.0
//
// Parses the options of the simulation. A campaign with other numbers than the requested ones would report success too,
// so options that are unknown, and numbers that are missing, malformed or out of range, are errors.

import Remora

/// The options of a campaign.
struct Options {
  /// The random seed of the first world.
  private(set) var seed: UInt64 = 1
  private(set) var worlds = 400
  /// The number of steps of each world.
  private(set) var steps = 1500
  /// The time in which worlds are started; 0 means that `worlds` limits their number.
  private(set) var minutes = 0
  private(set) var logs = false

  /// A wrong option, described in one line.
  struct Refusal: Error {
    let text: String
  }

  static let usage = "usage: remora-simulate [--seed N] [--worlds N] [--steps N] [--minutes N] [--log]"

  /// Parses the arguments after the name of the program.
  init(_ arguments: some Sequence<String>) throws(Refusal) {
    var rest = Array(arguments)[...]
    while let name = rest.popFirst() {
      switch name {
      case "--log": logs = true
      // Leaves room for the seeds of the later worlds, which count up from this one.
      case "--seed": seed = UInt64(try Self.number(after: name, &rest, in: 0...Int.max))
      case "--worlds": worlds = try Self.number(after: name, &rest, in: 1...1_000_000_000)
      case "--steps": steps = try Self.number(after: name, &rest, in: 1...1_000_000_000)
      case "--minutes": minutes = try Self.number(after: name, &rest, in: 1...1_000_000)
      default: throw Refusal(text: "\"\(printable(name))\" is not an option; \(Self.usage)")
      }
    }
  }

  /// Removes the number of an option from the arguments, and returns it.
  private static func number(
    after name: String, _ rest: inout ArraySlice<String>, in range: ClosedRange<Int>
  ) throws(Refusal) -> Int {
    guard let text = rest.popFirst() else { throw Refusal(text: "\(name) needs a number; \(usage)") }
    guard let number = Int(text), range.contains(number) else {
      throw Refusal(text: "\(name) must be a whole number, \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
