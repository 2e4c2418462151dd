// SPDX-License-Identifier: Apache-2.0
//
// Simulates the engine: several processes over one directory, a server, clocks and hosts, all from one seed.
//
// usage: remora-simulate [--seed N] [--worlds N] [--steps N] [--minutes N] [--log]
//
// Runs worlds of so many steps, one seed after the other. At a broken invariant it prints the seed and the step, which
// find it again, and exits with 1. Wrong options are refused with exit status 2.

import Glibc
import Remora

/// Parses the arguments of the process. If they are wrong, prints the reason in one line, and exits with 2.
func parsed(_ arguments: [String]) -> Options {
  do throws(Options.Refusal) {
    return try Options(arguments.dropFirst())
  } catch {
    let line = Array("remora-simulate: \(error.text)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(2)
  }
}

let options = parsed(CommandLine.arguments)
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
