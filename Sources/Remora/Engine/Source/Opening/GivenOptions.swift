// SPDX-License-Identifier: Apache-2.0
//
// The options of an opening that only the first opening of a source decides. A later one that asks for something else
// gets a handle of the open source, and a warning that names what has no effect.

/// An option that the host set, in a form that can be compared.
package struct GivenOption: Equatable, Sendable {
  /// Its name in the header.
  let name: String
  /// What tells its value from others.
  let value: String
}

extension SourceOptions {
  /// Notes an option unless it is nil: the host left it at its default.
  mutating func note(_ name: StaticString, _ value: String?) {
    if let value { given.append(GivenOption(name: "\(name)", value: value)) }
  }

  /// Notes what every kind of source has.
  mutating func noteShared() {
    note("refresh_interval_ms", refreshIntervalMs.map { "\($0)" })
    note("persist_overrides", persistsOverrides ? "1" : nil)
  }

  /// The names of the options that have no effect, because the source was opened with `first`.
  package func ignored(comparedWith first: SourceOptions) -> [String] {
    given.filter { !first.given.contains($0) }.map(\.name)
  }
}
