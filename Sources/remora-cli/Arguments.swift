// SPDX-License-Identifier: Apache-2.0
//
// Parses the arguments of a command with getopt_long: options in any place and in both forms; `--` ends them.
//
// The arguments are bytes. CommandLine.arguments replaces invalid UTF-8 by U+FFFD, so that a path would name another
// file. Values and operands are therefore read from the bytes, and refused if they are not valid UTF-8.

internal import CGetopt
internal import Glibc
internal import Remora

/// Arguments as the process received them.
typealias RawArguments = [UnsafeMutablePointer<CChar>?]

/// The parsed arguments of a command.
struct Arguments {
  /// The values of each option by its name, in the given order. The value of an option that takes none is empty.
  private var values: [String: [String]] = [:]
  private(set) var operands: [String] = []

  /// Parses the arguments, of which the first is the name of the command; nil if they request help.
  ///
  /// - Throws: `.invalidArgument` naming the argument.
  init?(_ words: RawArguments, for command: Command) throws(RemoraError) {
    let options = command.options + [Option(name: "help", help: "")]
    var table = options.enumerated().map { index, known in
      // A StaticString is NUL-terminated, and valid until the process exits.
      option(
        name: UnsafeRawPointer(known.name.utf8Start).assumingMemoryBound(to: CChar.self),
        has_arg: known.value == nil ? no_argument : required_argument, flag: nil, val: Self.first + Int32(index))
    }
    table.append(option())
    var words = words + [nil]
    let count = Int32(words.count - 1)
    remora_getopt_be_silent()
    while true {
      // With the leading colon, getopt_long returns ':' for a missing value and '?' for an unknown option.
      let found = getopt_long(count, &words, ":h", table, nil)
      guard found != -1 else { break }
      if found == Int32(UInt8(ascii: "h")) { return nil }
      guard found >= Self.first else { throw Self.refused(found, words, command) }
      let known = options[Int(found - Self.first)]
      if "\(known.name)" == "help" { return nil }
      let value = try Self.text(remora_getopt_value(), "--\(known.name)")
      guard known.value == nil || !value.isEmpty else { throw .usage("--\(known.name) needs a value") }
      values["\(known.name)", default: []].append(value)
    }
    for (index, word) in words.dropLast().dropFirst(Int(remora_getopt_index())).enumerated() {
      let isKnown = index < command.operands.count
      operands.append(try Self.text(word, isKnown ? command.operands[index] : "argument \(index + 1)"))
    }
    try requireOperands(of: command)
  }

  /// Returns the last value of an option.
  subscript(_ name: String) -> String? { values[name]?.last }

  /// Returns the value of a required option.
  func required(_ name: String) throws(RemoraError) -> String {
    guard let value = self[name] else { throw .usage("--\(name) is missing") }
    return value
  }

  /// Returns a number of days; nil if the option is missing.
  func days(_ name: String) throws(RemoraError) -> Int64? {
    guard let text = self[name] else { return nil }
    let least: Int64 = name == "days" ? 2 : 0
    guard let days = Int64(text), (least...36_500).contains(days) else {
      throw .usage("--\(name) must be a whole number of days, \(least) to 36500")
    }
    return days
  }

  /// Returns all values of an option.
  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// The first of the numbers that represent options; larger than any character.
  private static var first: Int32 { 1000 }

  /// Returns the text of an argument; an empty text for the missing value of an option that takes none.
  ///
  /// - Throws: `.invalidArgument` naming the argument.
  private static func text(_ word: UnsafePointer<CChar>?, _ name: String) throws(RemoraError) -> String {
    guard let word else { return "" }
    guard let text = String(validatingCString: word) else { throw .usage("\(name) is not valid UTF-8") }
    return text
  }

  private func requireOperands(of command: Command) throws(RemoraError) {
    let needed = command.operands.prefix { !$0.hasPrefix("[") }
    guard operands.count >= needed.count else {
      throw .usage(
        "\(command.name) needs \(needed[operands.count]); \"remora help \(command.name)\" has details")
    }
    guard operands.count <= command.operands.count else {
      throw .usage("unexpected argument \"\(operands[command.operands.count])\" for \(command.name)")
    }
  }

  /// Returns the error for an argument that getopt_long rejected.
  private static func refused(
    _ answer: Int32, _ words: RawArguments, _ command: Command
  ) -> RemoraError {
    let word = words[Int(remora_getopt_index()) - 1].map { String(cString: $0) } ?? ""
    if answer == Int32(UInt8(ascii: ":")) { return .usage("\(word) needs a value") }
    if remora_getopt_refused() >= first { return .usage("\(word.prefix { $0 != "=" }) takes no value") }
    let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
    let meant = suggestion(for: name, among: command.options.map { "\($0.name)" }).map { "; did you mean --\($0)?" }
    return .usage(
      "\(word) is not an option of \(command.name)\(meant ?? "; \"remora help \(command.name)\" lists them")")
  }
}
