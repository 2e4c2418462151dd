// SPDX-License-Identifier: Apache-2.0
//
// Parses the arguments of a command with getopt_long: options in any place and in both forms; `--` ends them.

internal import CGetopt
internal import Glibc
internal import Remora

/// The parsed arguments of a command.
struct Arguments {
  /// The values of each option by its name, in the given order. The value of an option that takes none is empty.
  private var values: [String: [String]] = [:]
  private(set) var operands: [String] = []

  /// Parses the arguments; nil if they request help.
  ///
  /// - Throws: `.invalidArgument` naming the argument.
  init?(_ words: [String], for command: Command) throws(RemoraError) {
    let options = command.options + [Option(name: "help", help: "")]
    var table = options.enumerated().map { index, known in
      // A StaticString is NUL-terminated, and valid until the process exits.
      option(
        name: UnsafeRawPointer(known.name.utf8Start).assumingMemoryBound(to: CChar.self),
        has_arg: known.value == nil ? no_argument : required_argument, flag: nil, val: Self.first + Int32(index))
    }
    table.append(option())
    var pointers: [UnsafeMutablePointer<CChar>?] = ([command.name] + words).map { strdup($0) }
    let count = Int32(pointers.count)
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    remora_getopt_be_silent()
    while true {
      // With the leading colon, getopt_long returns ':' for a missing value and '?' for an unknown option.
      let found = getopt_long(count, &pointers, ":", table, nil)
      guard found != -1 else { break }
      guard found >= Self.first else { throw Self.refused(found, pointers, command) }
      let known = options[Int(found - Self.first)]
      if "\(known.name)" == "help" { return nil }
      let value = remora_getopt_value().map { String(cString: $0) } ?? ""
      guard known.value == nil || !value.isEmpty else { throw .usage("--\(known.name) needs a value") }
      values["\(known.name)", default: []].append(value)
    }
    operands = pointers.dropLast().dropFirst(Int(remora_getopt_index())).map { $0.map { String(cString: $0) } ?? "" }
    try requireOperands(of: command)
  }

  /// Returns the last value of an option.
  subscript(_ name: String) -> String? { values[name]?.last }

  /// Returns all values of an option.
  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// The first of the numbers that represent options; larger than any character.
  private static var first: Int32 { 1000 }

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
    _ answer: Int32, _ words: [UnsafeMutablePointer<CChar>?], _ command: Command
  ) -> RemoraError {
    let word = words[Int(remora_getopt_index()) - 1].map { String(cString: $0) } ?? ""
    if answer == Int32(UInt8(ascii: ":")) { return .usage("\(word) needs a value") }
    if remora_getopt_refused() >= first { return .usage("\(word.prefix { $0 != "=" }) takes no value") }
    return .usage("\(word) is not an option of \(command.name); \"remora help \(command.name)\" lists them")
  }
}
