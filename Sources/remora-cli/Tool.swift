// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool `remora`: selects the command, and reports failures in one line on standard error.

internal import CRemora
internal import Remora

@main
enum Tool {
  /// The commands in the order of the help.
  static var commands: [Command] {
    [
      dumpCommand, verifyCommand, seedCommand, keysInitCommand, keysRenewCommand, keysShowCommand, publishCommand,
      checkCommand, listCommand, getCommand, explainCommand, diffCommand, watchCommand,
    ]
  }

  static func main() {
    closeGaps()
    ignoreFileSizeSignal()
    do throws(RemoraError) {
      try run(try rawArguments())
    } catch {
      report("remora: \(inOptions(error))")
      leave(exitStatus(of: error.code))
    }
    leave(0)
  }

  /// Returns the arguments after the name of the tool.
  private static func rawArguments() throws(RemoraError) -> RawArguments {
    let count = Int(CommandLine.argc)
    // The Swift runtime reads the arguments from /proc/self/cmdline.
    guard count > 0 else { throw RemoraError(.internal, "the arguments cannot be read, because /proc is not mounted") }
    return (1..<count).map { CommandLine.unsafeArgv[$0] }
  }

  private static func run(_ raw: RawArguments) throws(RemoraError) {
    // Only for names of commands and for messages. Invalid UTF-8 is replaced, which yields no name of a command.
    let words = raw.map { $0.map { String(cString: $0) } ?? "" }
    let rest = Array(words.dropFirst())
    switch words.first {
    case "--version"?, "-V"?:
      try requireNothing(rest, behind: words[0])
      try printOut("remora \(REMORA_VERSION)\n")
    case "--help"?, "-h"?:
      try requireNothing(rest, behind: words[0])
      try printOut(overview(commands))
    case "help"?:
      guard !rest.isEmpty else { return try printOut(overview(commands)) }
      let (command, length) = try command(rest)
      try requireNothing(Array(rest.dropFirst(length)), behind: "help")
      try printOut(command.help)
    case nil:
      throw .usage("no command given; \"remora help\" lists the commands")
    default:
      let (command, length) = try command(words)
      guard let arguments = try Arguments(Array(raw.dropFirst(length - 1)), for: command) else {
        return try printOut(command.help)
      }
      try command.run(arguments)
    }
  }

  /// Returns the command with which the words begin, and the number of words of its name.
  private static func command(_ words: [String]) throws(RemoraError) -> (Command, length: Int) {
    for command in commands {
      let name = command.name.split(separator: " ").map(String.init)
      if words.starts(with: name) { return (command, name.count) }
    }
    throw unknown(words)
  }

  /// Returns the error for words that name no command, with the command that they probably mean.
  private static func unknown(_ words: [String]) -> RemoraError {
    let names = commands.map(\.name)
    let pair = words.prefix(2).joined(separator: " ")
    // A group has the first word of several commands as its name, such as "keys init".
    let group = names.filter { $0.hasPrefix("\(words[0]) ") }
    if !group.isEmpty {
      let meant = suggestion(for: pair, among: group).map { "did you mean \"\($0)\"?" }
      return .usage("\"\(pair)\" is not a command; \(meant ?? "use one of \(group.joined(separator: ", "))")")
    }
    let groups = names.filter { $0.contains(" ") }
    if let meant = suggestion(for: pair, among: groups) {
      return .usage("\"\(pair)\" is not a command; did you mean \"\(meant)\"?")
    }
    let meant = suggestion(for: words[0], among: names + groups.map { String($0.prefix { $0 != " " }) })
    let advice = meant.map { "did you mean \"\($0)\"?" } ?? "\"remora help\" lists them"
    return .usage("\"\(words[0])\" is not a command; \(advice)")
  }

  private static func requireNothing(_ words: [String], behind name: String) throws(RemoraError) {
    if let word = words.first { throw .usage("unexpected argument \"\(word)\" after \(name)") }
  }
}

extension RemoraError {
  /// Returns an error for invalid arguments.
  static func usage(_ message: String) -> RemoraError { RemoraError(.invalidArgument, message) }
}

/// The tool's options and arguments for the parameters of the library.
private let ownParameters = [
  "root_sha256": "--root-sha256", "trusted_hosts": "--trusted-host", "request_params": "--param",
  "root_key": "--root-key", "tag": "--tag", "tag_item": "--tag-item", "accepted_schema": "--schema",
  "server": "--server", "bucket": "--bucket", "name": "collection name", "storage_dir": "STORAGE_DIR",
]

/// Returns the message of an error with the tool's own options: at its beginning, and in its advice, such as "set
/// root_sha256" or "turn trust off".
private func inOptions(_ error: RemoraError) -> String {
  // Only a caller's time limit has this code, and the number of milliseconds may be the rest of the limit.
  guard error.code != .timeout else { return "--timeout expired before the fetch was complete" }
  let parameter = String(error.parameter)
  var words = error.message.dropFirst(parameter.count).split(separator: " ", omittingEmptySubsequences: false)
  if words.suffix(3) == ["turn", "trust", "off"] { words = words.dropLast(3) + ["use", "--no-verify"] }
  let advised: [Substring: Substring] = [
    "root_sha256": "--root-sha256", "trusted_hosts": "--trusted-host", "accepted_schema": "--schema",
  ]
  return (ownParameters[parameter] ?? parameter) + words.map { advised[$0] ?? $0 }.joined(separator: " ")
}
