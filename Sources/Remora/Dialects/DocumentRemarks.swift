// SPDX-License-Identifier: Apache-2.0
//
// What was ignored in a document that is used all the same, each with its place, for the log.

/// Remarks on one document.
struct DocumentRemarks: Sendable {
  /// More are counted only.
  static let most = 100

  /// What it is, for sentences: "the bundle".
  private let document: String
  private(set) var all: [(place: String, problem: String)] = []
  private var more = 0

  init(of document: String) { self.document = document }

  /// Notes what is wrong at a JSON Pointer.
  mutating func add(_ place: @autoclosure () -> String, _ problem: @autoclosure () -> String) {
    if all.count < Self.most { all.append((place(), problem())) } else { more += 1 }
  }

  /// Sentences for the log.
  var sentences: [String] {
    let told = all.map { "\(document) at \($0.place) \($0.problem)" }
    return more == 0 ? told : told + ["\(document) has \(more) more things that are ignored"]
  }
}

/// A name as a part of a JSON Pointer, its beginning if it is long.
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
