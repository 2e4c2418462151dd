// SPDX-License-Identifier: Apache-2.0
//
// The warnings about ignored parts of a document that is used otherwise, each with its place, for the log.

struct DocumentWarnings: Sendable {
  /// The maximum number of stored warnings; further ones are only counted, in one more warning.
  static let most = 99

  /// The name of the document in messages: "the bundle".
  private let document: String
  private(set) var all: [(place: String, problem: String)] = []
  private var more = 0

  init(of document: String) { self.document = document }

  /// Adds a warning about the value at a JSON Pointer.
  mutating func add(_ place: @autoclosure () -> String, _ problem: @autoclosure () -> String) {
    if all.count < Self.most { all.append((place(), problem())) } else { more += 1 }
  }

  var sentences: [String] {
    let sentences = all.map { "in \(document), \($0.place) \($0.problem)" }
    return more == 0 ? sentences : sentences + ["\(document) has \(more) further warnings, which are not logged"]
  }
}

/// Returns a name as a token of a JSON Pointer, truncated if it is long.
func pointerToken(_ name: [UInt8]) -> String {
  var token = ""
  for character in String(decoding: name.prefix(100), as: UTF8.self) {
    switch character {
    case "~": token += "~0"
    case "/": token += "~1"
    default: token.append(character)
    }
  }
  return token
}
