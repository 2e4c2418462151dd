// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool `remora`: selects the command, and reports failures. Exit status 0 means success, 1 a failure,
// 2 invalid arguments. A failure is reported in one line on standard error.

internal import CRemora
internal import Remora

@main
enum Tool {
  /// The commands in the order of the help.
  static var commands: [Command] { [dumpCommand, verifyCommand, seedCommand] }

  static func main() {
    closeGaps()
    ignoreFileSizeSignal()
    do throws(RemoraError) {
      try run(try rawArguments())
    } catch {
      report("remora: \(inOptions(error))")
      leave(error.code == .invalidArgument ? 2 : 1)
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
    case "--version":
      try requireNothing(rest, behind: "--version")
      try printOut("remora \(REMORA_VERSION)\n")
    case "--help":
      try requireNothing(rest, behind: "--help")
      try printOut(overview(commands))
    case "help":
      try requireNothing(Array(rest.dropFirst()), behind: "help")
      try printOut(try rest.first.map { name throws(RemoraError) in try command(name).help } ?? overview(commands))
    case let name?:
      let command = try command(name)
      guard let arguments = try Arguments(raw, for: command) else { return try printOut(command.help) }
      try command.run(arguments)
    case nil:
      throw .usage("no command given; \"remora help\" lists the commands")
    }
  }

  private static func command(_ name: String) throws(RemoraError) -> Command {
    guard let command = commands.first(where: { $0.name == name }) else {
      throw .usage("\"\(name)\" is not a command; \"remora help\" lists them")
    }
    return command
  }

  private static func requireNothing(_ words: [String], behind name: String) throws(RemoraError) {
    if let word = words.first { throw .usage("unexpected argument \"\(word)\" after \(name)") }
  }
}

extension RemoraError {
  /// Returns an error for invalid arguments.
  static func usage(_ message: String) -> RemoraError { RemoraError(.invalidArgument, message) }
}

/// Returns the message of an error with the names of the library's options replaced by those of the tool's.
private func inOptions(_ error: RemoraError) -> String {
  // Only a caller's time limit has this code, and the number of milliseconds may be the rest of the limit.
  guard error.code != .timeout else { return "--timeout expired before the fetch was complete" }
  var words = error.message.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
  if words.suffix(3) == ["turn", "trust", "off"] { words = words.dropLast(3) + ["use", "--no-verify"] }
  let names = [
    "root_sha256": "--root-sha256", "trusted_hosts": "--trusted-host", "request_params": "--param",
    "root_key": "--root-key", "tag_item": "--tag-item", "accepted_schema": "--schema", "storage_dir": "STORAGE_DIR",
  ]
  words = words.map { names[$0] ?? $0 }
  // These names are also ordinary words, except at the beginning of a message about an argument.
  if error.code == .invalidArgument, ["server", "bucket", "tag"].contains(words[0]) { words[0] = "--\(words[0])" }
  if error.code == .invalidArgument, words[0] == "name" { words[0] = "collection name" }
  return words.joined(separator: " ")
}
