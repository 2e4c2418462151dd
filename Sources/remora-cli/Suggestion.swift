// SPDX-License-Identifier: Apache-2.0
//
// The name that a mistyped one probably means.

/// Returns the most similar name; nil if none is similar.
func suggestion(for word: String, among names: [String]) -> String? {
  let limit = word.count < 4 ? 1 : 2
  return names.map { (name: $0, edits: edits(from: word, to: $0)) }
    .filter { $0.edits <= limit }
    .min { $0.edits < $1.edits }?.name
}

/// Returns the number of characters to insert, delete, replace or swap with the next one.
private func edits(from word: String, to name: String) -> Int {
  let (word, name) = (Array(word.utf8), Array(name.utf8))
  var rows = [Array(0...name.count)]
  for (row, letter) in word.enumerated() {
    var next = [row + 1]
    for (column, other) in name.enumerated() {
      var count = min(next[column] + 1, rows[row][column + 1] + 1, rows[row][column] + (letter == other ? 0 : 1))
      if row > 0, column > 0, letter == name[column - 1], word[row - 1] == other {
        count = min(count, rows[row - 1][column - 1] + 1)
      }
      next.append(count)
    }
    rows.append(next)
  }
  return rows[word.count][name.count]
}
