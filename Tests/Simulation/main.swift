// SPDX-License-Identifier: Apache-2.0
//
// Simulates the engine: several processes over one directory, a server, clocks and hosts, all from one seed.
//
// usage: remora-simulate [--seed N] [--worlds N] [--steps N] [--minutes N] [--log]
//
// Runs worlds of so many steps, one seed after the other. At a broken invariant it prints the seed and the step, which
// find it again, and exits with 1.

import Glibc
import Remora

/// What was asked for.
struct Options {
  var seed: UInt64 = 1
  var worlds = 400
  var steps = 1500
  var minutes = 0
  var logs = false

  init(_ arguments: [String]) {
    var rest = arguments.dropFirst()[...]
    while let name = rest.popFirst() {
      if name == "--log" { logs = true }
      guard let number = rest.first.flatMap({ UInt64($0) }) else { continue }
      switch name {
      case "--seed": seed = number
      case "--worlds": worlds = Int(number)
      case "--steps": steps = Int(number)
      case "--minutes": minutes = Int(number)
      default: break
      }
    }
  }
}

let options = Options(CommandLine.arguments)
let startMs = monotonicMs()
let endMs = startMs + Int64(options.minutes) * 60_000
var steps = 0
var worlds = 0
let counts = RejectionCounts()
while options.minutes > 0 ? monotonicMs() < endMs : worlds < options.worlds {
  let world = World(seed: options.seed + UInt64(worlds), counts, log: options.logs)
  do throws(Violation) {
    try world.run(steps: options.steps)
  } catch {
    print("seed \(error.seed), step \(error.step): invariant \(error.invariant) is broken: \(error.text)")
    exit(1)
  }
  steps += world.steps
  worlds += 1
}
let seconds = Double(monotonicMs() - startMs) / 1000
print(counts.text)
print("simulated \(steps) steps in \(worlds) worlds and \(seconds) s: all invariants hold")
