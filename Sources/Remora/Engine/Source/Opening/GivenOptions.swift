// SPDX-License-Identifier: Apache-2.0
//
// The options that only the first opening of a source can set. A later opening with other values gets a handle of the
// open source, and a warning that names the options without effect.

/// An option that the host set, in a comparable form.
package struct GivenOption: Equatable, Sendable {
  /// The name of the option in the C header.
  let name: String
  /// A text that identifies the value.
  let value: String
}

extension SourceOptions {
  /// Records an option, unless it is nil because the host kept the default.
  mutating func note(_ name: StaticString, _ value: String?) {
    if let value { given.append(GivenOption(name: "\(name)", value: value)) }
  }

  /// Returns the names of the options that have no effect, because the source was opened with `first`.
  package func ignored(comparedWith first: SourceOptions) -> [String] {
    given.filter { !first.given.contains($0) }.map(\.name)
  }
}
