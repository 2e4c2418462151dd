// SPDX-License-Identifier: Apache-2.0
//
// What a command is called, takes and does; its help is made of that.

internal import Remora

/// One option of a command.
struct Option: Sendable {
  /// Without the dashes.
  let name: StaticString
  /// What its value is called; nil when it takes none.
  var value: String?
  let help: String
}

/// One command.
struct Command: Sendable {
  let name: String
  /// What follows the options: each in capitals, in brackets when it may be left out.
  let operands: [String]
  let summary: String
  let options: [Option]
  let run: @Sendable (Arguments) throws(RemoraError) -> Void

  /// What `remora help NAME` prints.
  var help: String {
    let rows = options.map { option in
      (left: "--\(option.name)\(option.value.map { " \($0)" } ?? "")", right: option.help)
    }
    return """
      usage: remora \(name) [options] \(operands.joined(separator: " "))

      \(summary).

      \(table(rows + [("--help", "print this")]))
      """
  }
}

/// What `remora help` prints.
func overview(_ commands: [Command]) -> String {
  let rows = commands.map { (left: $0.name, right: $0.summary) }
  return """
    usage: remora COMMAND [options] …
           remora help [COMMAND]
           remora --version

    \(table(rows))
    """
}

/// Two columns; the second one aligned.
private func table(_ rows: [(left: String, right: String)]) -> String {
  let width = rows.map(\.left.count).max() ?? 0
  return rows.map { row in
    "  \(row.left)\(String(repeating: " ", count: width - row.left.count))  \(row.right)\n"
  }.joined()
}
