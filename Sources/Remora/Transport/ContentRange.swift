// SPDX-License-Identifier: Apache-2.0
//
// The Content-Range header of a 206 response.
// Invariant: first < end <= total.

/// A byte range of a whole body.
package struct ContentRange: Sendable, Equatable {
  /// The offset of the first byte.
  package let first: Int
  /// The offset after the last byte.
  package let end: Int
  /// The length of the whole body, if the server knows it.
  package let total: Int?

  /// Parses the value of Content-Range, "bytes 0-499/1234" or "bytes 0-499/*"; nil for anything else.
  package init?(_ value: String) {
    let words = value.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = position(ends[0]), let last = position(ends[1]), first <= last else {
      return nil
    }
    let total = position(parts[1])
    guard parts[1] == "*" || total != nil, last < total ?? .max else { return nil }
    self.first = first
    end = last + 1
    self.total = total
  }
}

/// Parses a number that consists of digits only and is below the largest integer.
private func position(_ text: Substring) -> Int? {
  guard !text.isEmpty, text.utf8.allSatisfy(isDigit), let number = Int(text), number < .max else { return nil }
  return number
}
