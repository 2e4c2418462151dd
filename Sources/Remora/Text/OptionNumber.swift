// SPDX-License-Identifier: Apache-2.0

extension RawRepresentable<Int32> {
  /// Creates a choice from the number that an option has in the C header.
  ///
  /// - Parameter kind: What the number should be, with its article, such as "a log level".
  /// - Throws: `.invalidArgument` naming the option.
  init(_ number: Int32, of option: String, _ kind: StaticString) throws(RemoraError) {
    guard let choice = Self(rawValue: number) else {
      throw .invalidArgument(option, "is \(number), which is not \(kind)")
    }
    self = choice
  }
}
