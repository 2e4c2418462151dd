// SPDX-License-Identifier: Apache-2.0
//
// Compiles a schema. What is not supported is refused by its name, never ignored.

/// Compiles a JSON Schema to nodes.
struct SchemaCompiler {
  /// The maximum number of nodes.
  private static let mostNodes = 10_000
  /// The maximum nesting.
  private static let mostLevels = 128

  private let root: Value
  let language: SchemaLanguage
  /// The identifier of the root, without a fragment; empty if it states none.
  private let identifier: String
  private(set) var nodes: [SchemaNode] = []
  /// The nodes by their places.
  private var numbers: [String: SchemaNodeID] = [:]
  private var anchors: [String: SchemaNodeID] = [:]
  /// The references whose targets are not known yet.
  private var references: [(node: SchemaNodeID, text: String)] = []
  /// The names of unknown keywords.
  private(set) var unknown: Set<String> = []
  private var levels = 0

  /// - Throws: `.invalidArgument` for `schema`.
  init(_ root: Value) throws(RemoraError) {
    self.root = root
    let stated = root.member("$schema")
    var version: SchemaVersion?
    if let stated {
      guard let text = stated.string.map({ String(decoding: $0, as: UTF8.self) }) else {
        throw schemaProblem("#/$schema is not a string")
      }
      version = SchemaVersion(identifier: text)
      guard version != nil else { throw schemaProblem("has the version \(printable(text)), which is not supported") }
    }
    language = SchemaLanguage(version)
    let id = member(language.id, of: root)?.string.map { String(decoding: $0, as: UTF8.self) } ?? ""
    identifier = String(id.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? "")
    _ = try node(root, at: "#")
    try resolveReferences()
    try requireNoLoop()
  }

  /// Returns the node of the schema at a place, which is compiled once.
  mutating func node(_ value: Value, at place: String) throws(RemoraError) -> SchemaNodeID {
    if let known = numbers[place] { return known }
    guard nodes.count < Self.mostNodes else { throw schemaProblem("has more than \(Self.mostNodes) parts") }
    guard levels < Self.mostLevels else { throw schemaProblem("is nested deeper than \(Self.mostLevels) levels") }
    levels += 1
    defer { levels -= 1 }
    let number = nodes.count
    numbers[place] = number
    nodes.append(SchemaNode(place: place))
    switch value.type {
    case .bool where language.version > .draft4 || place.hasSuffix("/additionalProperties") || place.hasSuffix("Items"):
      if value.bool == false { nodes[number].rules = [SchemaRule(keyword: "", condition: .never)] }
    case .object: try compile(value, number)
    default: throw schemaProblem("\(place) is not a schema")
    }
    return number
  }

  private mutating func compile(_ schema: Value, _ number: SchemaNodeID) throws(RemoraError) {
    let place = nodes[number].place
    if let reference = schema.member("$ref") {
      guard let text = reference.string else { throw schemaProblem("\(place)/$ref is not a string") }
      references.append((number, String(decoding: text, as: UTF8.self)))
      nodes[number].rules.append(SchemaRule(keyword: "$ref", condition: .same(number)))
      if language.ignoresBesideReference { return try compileDefinitions(schema, place) }
    }
    try compileDefinitions(schema, place)
    for index in 0..<schema.count {
      guard let (name, value) = schema.member(at: index) else { continue }
      let keyword = String(decoding: name, as: UTF8.self)
      try requireSupported(keyword, at: place)
      if let condition = try condition(SchemaKeyword(keyword, value, in: schema, at: place)) {
        nodes[number].insert(SchemaRule(keyword: keyword, condition: condition))
      }
    }
  }

  private mutating func requireSupported(_ keyword: String, at place: String) throws(RemoraError) {
    guard language.knows(keyword) else {
      unknown.insert(keyword)
      return
    }
    if SchemaLanguage.unsupported.contains(keyword) {
      throw schemaProblem("has the keyword \(keyword) at \(place), which is not supported")
    }
    if keyword == language.id, place != "#" {
      throw schemaProblem("has the keyword \(keyword) at \(place), which is supported only at the root")
    }
  }

  /// Compiles the definitions, even if nothing refers to them: they may have anchors.
  private mutating func compileDefinitions(_ schema: Value, _ place: String) throws(RemoraError) {
    for keyword in ["$defs", "definitions"] {
      guard language.knows(keyword), let list = member(keyword, of: schema) else { continue }
      guard list.type == .object else { throw schemaProblem("\(place)/\(keyword) is not an object") }
      for index in 0..<list.count {
        guard let (name, value) = list.member(at: index) else { continue }
        _ = try node(value, at: "\(place)/\(keyword)/\(pointerToken(name))")
      }
    }
  }

  /// Adds a node with one condition, which no keyword has by itself.
  mutating func add(_ condition: SchemaCondition, at place: String) -> SchemaNodeID {
    nodes.append(SchemaNode(place: place, rules: [SchemaRule(keyword: "", condition: condition)]))
    return nodes.count - 1
  }

  mutating func note(unknown keyword: String) { unknown.insert(keyword) }

  mutating func note(anchor name: String, at place: String) { anchors[name] = numbers[place] }

  // MARK: References

  private mutating func resolveReferences() throws(RemoraError) {
    // Compiling a target may add references.
    var next = 0
    while next < references.count {
      let (number, text) = references[next]
      let target = try target(of: text, at: nodes[number].place)
      if let rule = nodes[number].rules.firstIndex(where: { $0.keyword == "$ref" }) {
        nodes[number].rules[rule] = SchemaRule(keyword: "$ref", condition: .same(target))
      }
      next += 1
    }
  }

  private mutating func target(of reference: String, at place: String) throws(RemoraError) -> SchemaNodeID {
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts[0].isEmpty || parts[0] == identifier else {
      throw schemaProblem("has a $ref to another document, which is not supported, at \(place)")
    }
    var text = parts.count == 2 ? parts[1] : ""
    guard let bytes = text.withUTF8({ percentDecoded(UnsafeRawBufferPointer($0)) }) else {
      throw schemaProblem("has a malformed $ref at \(place)")
    }
    let fragment = String(decoding: bytes, as: UTF8.self)
    if fragment.isEmpty { return 0 }
    if let known = anchors[fragment] { return known }
    guard fragment.hasPrefix("/"), let value = Array(fragment.utf8).withBytes({ root.at(pointer: $0).value }) else {
      throw schemaProblem("has a $ref without a target at \(place)")
    }
    return try node(value, at: "#\(fragment)")
  }

  /// A schema that applies itself to the same value never ends.
  private func requireNoLoop() throws(RemoraError) {
    var state = [UInt8](repeating: 0, count: nodes.count)
    for start in nodes.indices where state[start] == 0 {
      var path = [(node: start, next: nodes[start].inPlace[...])]
      state[start] = 1
      while let (node, next) = path.last {
        guard let target = next.first else {
          state[node] = 2
          path.removeLast()
          continue
        }
        path[path.count - 1].next.removeFirst()
        if state[target] == 1 { throw schemaProblem("refers to itself without end at \(nodes[target].place)") }
        guard state[target] == 0 else { continue }
        state[target] = 1
        path.append((target, nodes[target].inPlace[...]))
      }
    }
  }
}

extension SchemaNode {
  /// Adds a rule, before those that cost more.
  fileprivate mutating func insert(_ rule: SchemaRule) {
    let cost = rule.condition.cost
    rules.insert(rule, at: rules.firstIndex { $0.condition.cost > cost } ?? rules.count)
  }

  fileprivate var inPlace: [SchemaNodeID] { rules.flatMap(\.condition.inPlace) }
}

extension SchemaCondition {
  /// The order in which conditions are checked.
  fileprivate var cost: Int {
    switch self {
    case .never, .types, .numbers, .lengths, .memberCount, .elementCount: 0
    case .required, .oneOf, .requiredWith: 1
    case .members, .elements, .same, .pattern: 2
    default: 3
    }
  }
}

/// Returns the error for a schema that cannot be used.
func schemaProblem(_ problem: String) -> RemoraError { .invalidArgument("schema", problem) }

/// Returns the member of an object.
func member(_ name: String, of value: Value) -> Value? { Array(name.utf8).withBytes { value.member(named: $0) } }

/// Returns a name as a part of a JSON Pointer.
func pointerToken(_ name: some Collection<UInt8>) -> String {
  let text = String(decoding: name, as: UTF8.self)
  var token = ""
  for character in text.unicodeScalars {
    switch character {
    case "~": token += "~0"
    case "/": token += "~1"
    default: token.unicodeScalars.append(character)
    }
  }
  return token
}
