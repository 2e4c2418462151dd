// SPDX-License-Identifier: Apache-2.0
//
// `remora get` and `remora explain`: a value in a storage directory, and why it is that value.

internal import Remora

/// The option for the attributes that filters read.
let contextArgument = Option(
  name: "context", value: "JSON", help: "the program's attributes, for filters; default: those of a program without any"
)

let getCommand = Command(
  name: "get", operands: ["DIR", "SOURCE", "[KEY]", "[POINTER]"],
  summary: "Prints a value of a program's storage directory as JSON, as the program reads it",
  options: [contextArgument, Option(name: "keys-only", help: "print the keys of the source, no value")],
  run: get)

let explainCommand = Command(
  name: "explain", operands: ["DIR", "SOURCE", "KEY", "[POINTER]"],
  summary: "Prints why a key of a storage directory has its value: override, live, staged and former data",
  options: [contextArgument, Option(name: "json", help: "print the explanation as JSON")],
  run: explain)

private func get(_ arguments: Arguments) throws(RemoraError) {
  let words = arguments.operands
  let source = try StoredSources(words[0]).source(words[1])
  guard source.state.image != nil || !source.overrides.all.isEmpty else {
    throw RemoraError(.notFound, "\(source.identity.name) has no live data")
  }
  let snapshot = try source.snapshot(in: arguments.context)
  if arguments["keys-only"] != nil {
    guard words.count == 2 else { throw .usage("--keys-only prints all keys, so KEY must be left out") }
    return try printOut(keys(of: snapshot).map { "\(printable($0))\n" }.joined())
  }
  var text = ByteBuffer()
  if words.count == 2 {
    try snapshot.appendCanonical(to: &text)
  } else {
    try text.appendCanonical(try value(of: words[2], words.dropFirst(3).first ?? "", in: snapshot))
  }
  try printOut(String(decoding: text.bytes, as: UTF8.self) + "\n")
}

/// Returns a value.
///
/// - Throws: `.notFound`; `.invalidArgument` for the pointer.
private func value(of key: String, _ pointer: String, in snapshot: Snapshot) throws(RemoraError) -> Value {
  let entry = Array(key.utf8).withBytes { snapshot.reader.pointee.entry($0) }
  guard let entry else { throw RemoraError(.notFound, "there is no key \(key); remora explain says why") }
  return try Array(pointer.utf8).withBytes { bytes throws(RemoraError) in try entry.value.required(at: bytes) }
}

private func keys(of snapshot: Snapshot) -> [String] {
  (0..<snapshot.count).compactMap { snapshot.reader.pointee.entry(at: $0) }.map {
    String(decoding: $0.key, as: UTF8.self)
  }
}

private func explain(_ arguments: Arguments) throws(RemoraError) {
  let words = arguments.operands
  let source = try StoredSources(words[0]).source(words[1])
  let context = try arguments.context
  var data = ExplainedData(
    try source.snapshot(in: context), under: source.overrides, hiding: source.identity.hiding, in: context,
    nowMs: SystemClock().nowMs)
  data.staged = source.state.staged
  data.previous = source.previous
  data.rejected = source.state.rejected
  if source.packaged.count == 1 { data.packaged = source.packaged.first }
  let pointer = Array((words.dropFirst(3).first ?? "").utf8)
  let explanation = try Explanation(of: data, key: Array(words[2].utf8), pointer: pointer)
  guard arguments["json"] == nil else {
    return try printOut(String(decoding: try explanation.json(), as: UTF8.self) + "\n")
  }
  let lines = explanation.screen.split(separator: "\n", omittingEmptySubsequences: false)
  try printOut(lines.map { $0.hasPrefix("* ") ? bold(String($0)) : String($0) }.joined(separator: "\n"))
}

extension Arguments {
  /// The context of filters.
  fileprivate var context: FilterContext {
    get throws(RemoraError) {
      guard let json = self["context"] else { return FilterContext() }
      do throws(RemoraError) {
        return try FilterContext(json: json)
      } catch {
        throw .usage("--context \(error.message.drop { $0 != " " }.dropFirst())")
      }
    }
  }
}
