// SPDX-License-Identifier: Apache-2.0
//
// The description of a command: its name, its operands and options, and its action. The help text is made from it.

internal import Remora

/// An option of a command.
struct Option: Sendable {
  /// The name without the dashes.
  let name: StaticString
  /// The placeholder of the value; nil if the option takes no value.
  var value: String?
  let help: String
}

/// A command of the tool.
struct Command: Sendable {
  let name: String
  /// The placeholders of the operands, in capitals. Optional operands are in brackets.
  let operands: [String]
  let summary: String
  let options: [Option]
  let run: @Sendable (Arguments) throws(RemoraError) -> Void

  /// The text that `remora help NAME` prints.
  var help: String {
    let rows = options.map { option in
      (left: "--\(option.name)\(option.value.map { " \($0)" } ?? "")", right: option.help)
    }
    return """
      usage: remora \(name) [options] \(operands.joined(separator: " "))

      \(wrapped("\(summary).", indent: 0))

      \(table(rows + [("--help", "print this help")]))
      """
  }
}

/// Returns the text that `remora help` prints.
func overview(_ commands: [Command]) -> String {
  let rows = commands.map { (left: $0.name, right: $0.summary) }
  return """
    usage: remora COMMAND [options] …
           remora help [COMMAND]
           remora --version

    \(table(rows))
    """
}

/// The number of columns of a help text.
private let helpWidth = 80

/// Formats two columns, with the second one aligned and wrapped.
private func table(_ rows: [(left: String, right: String)]) -> String {
  let width = rows.map(\.left.count).max() ?? 0
  return rows.map { row in
    "  \(row.left)\(String(repeating: " ", count: width - row.left.count))  \(wrapped(row.right, indent: width + 4))\n"
  }.joined()
}

/// Breaks a text into lines. The first line begins at the column `indent`, and the others are indented.
private func wrapped(_ text: String, indent: Int) -> String {
  folded(text, to: helpWidth - indent).joined(separator: "\n" + String(repeating: " ", count: indent))
}
