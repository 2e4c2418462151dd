// SPDX-License-Identifier: Apache-2.0
//
// Compiles one keyword of a schema to a condition.

/// A keyword with its value.
struct SchemaKeyword {
  let name: String
  let value: Value
  /// The schema that has the keyword.
  let schema: Value
  /// The place of that schema.
  let schemaPlace: String
  var place: String { "\(schemaPlace)/\(pointerToken(name.utf8))" }

  init(_ name: String, _ value: Value, in schema: Value, at place: String) {
    (self.name, self.value, self.schema, schemaPlace) = (name, value, schema, place)
  }

  func problem(_ text: String) -> RemoraError { schemaProblem("\(place) \(text)") }
}

extension SchemaCompiler {
  /// Returns the condition of a keyword; nil for one without its own.
  mutating func condition(_ keyword: SchemaKeyword) throws(RemoraError) -> SchemaCondition? {
    guard language.knows(keyword.name) else { return nil }
    switch keyword.name {
    case "type": return .types(try types(keyword))
    case "const": return .oneOf(values: [keyword.value])
    case "enum": return .oneOf(values: try keyword.elements())
    case "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum": return try numbers(keyword)
    case "minLength", "maxLength": return .lengths(try keyword.bounds())
    case "pattern": return .pattern(try keyword.pattern(keyword.text()))
    case "required": return try required(keyword)
    case "minProperties", "maxProperties": return .memberCount(try keyword.bounds())
    case "minItems", "maxItems": return .elementCount(try keyword.bounds())
    case "uniqueItems": return try keyword.flag() ? .unique : nil
    case "$anchor":
      note(anchor: try keyword.text(), at: keyword.schemaPlace)
      return nil
    default: return try applicator(keyword)
    }
  }

  /// Returns the condition of a keyword that contains schemas.
  private mutating func applicator(_ keyword: SchemaKeyword) throws(RemoraError) -> SchemaCondition? {
    switch keyword.name {
    case "allOf": return .all(try list(keyword))
    case "anyOf": return .any(try list(keyword))
    case "oneOf": return .one(try list(keyword))
    case "not": return .not(try node(keyword.value, at: keyword.place))
    case "if": return try either(keyword)
    case "properties", "patternProperties", "additionalProperties": return try members(keyword)
    case "propertyNames": return .memberNames(try node(keyword.value, at: keyword.place))
    case "dependentRequired":
      return .requiredWith(try keyword.members { value throws(RemoraError) in try keyword.names(value) })
    case "dependentSchemas": return .schemaWith(try memberSchemas(keyword) { _ in true })
    case "dependencies": return try dependencies(keyword)
    case "items", "prefixItems", "additionalItems": return try elements(keyword)
    case "contains": return try contains(keyword)
    // These have no effect without another keyword, which reads them.
    case "then", "else", "minContains", "maxContains", "$defs", "definitions", "$ref", "$id", "id": return nil
    default:
      if !SchemaLanguage.annotations.contains(keyword.name) { note(unknown: keyword.name) }
      return nil
    }
  }

  // MARK: Values

  private func types(_ keyword: SchemaKeyword) throws(RemoraError) -> SchemaTypes {
    var types = SchemaTypes()
    for value in keyword.value.type == .array ? try keyword.elements() : [keyword.value] {
      switch value.string.map({ String(decoding: $0, as: UTF8.self) }) {
      case "null": types.insert(.null)
      case "boolean": types.insert(.boolean)
      case "integer":
        types.insert(.integer)
        if language.hasIntegralDoubles { types.insert(.integralDouble) }
      case "number":
        types.insert(.integer)
        types.insert(.double)
      case "string": types.insert(.string)
      case "array": types.insert(.array)
      case "object": types.insert(.object)
      default: throw keyword.problem("is not a type")
      }
    }
    return types
  }

  private func numbers(_ keyword: SchemaKeyword) throws(RemoraError) -> SchemaCondition? {
    if language.hasBooleanLimits, keyword.name.hasPrefix("exclusive") {
      guard keyword.value.type == .bool else { throw keyword.problem("is not a boolean") }
      return nil
    }
    guard SchemaValue(keyword.value).isNumber else { throw keyword.problem("is not a number") }
    let isExclusive = { (name: String) in
      language.hasBooleanLimits && member(name, of: keyword.schema)?.bool == true
    }
    let limit: SchemaNumbers.Limit
    switch keyword.name {
    case "minimum": limit = isExclusive("exclusiveMinimum") ? .above : .atLeast
    case "maximum": limit = isExclusive("exclusiveMaximum") ? .below : .atMost
    case "exclusiveMinimum": limit = .above
    case "exclusiveMaximum": limit = .below
    default:
      guard SchemaValue(keyword.value).approximate > 0 else { throw keyword.problem("is not above 0") }
      limit = .multipleOf
    }
    return .numbers(SchemaNumbers(limit: limit, number: keyword.value))
  }

  private func required(_ keyword: SchemaKeyword) throws(RemoraError) -> SchemaCondition? {
    .required(try keyword.names(keyword.value))
  }

  // MARK: Schemas

  private mutating func list(_ keyword: SchemaKeyword) throws(RemoraError) -> [SchemaNodeID] {
    var nodes: [SchemaNodeID] = []
    for (index, value) in try keyword.elements().enumerated() {
      nodes.append(try node(value, at: "\(keyword.place)/\(index)"))
    }
    guard !nodes.isEmpty else { throw keyword.problem("is empty") }
    return nodes
  }

  private mutating func either(_ keyword: SchemaKeyword) throws(RemoraError) -> SchemaCondition? {
    let condition = try node(keyword.value, at: keyword.place)
    let then = try sibling("then", of: keyword)
    let otherwise = try sibling("else", of: keyword)
    return .either(condition: condition, then: then, otherwise: otherwise)
  }

  private mutating func sibling(_ name: String, of keyword: SchemaKeyword) throws(RemoraError) -> SchemaNodeID? {
    guard let value = member(name, of: keyword.schema) else { return nil }
    return try node(value, at: "\(keyword.schemaPlace)/\(name)")
  }

  /// The three keywords that select members are one condition, which belongs to the first of them.
  private mutating func members(_ keyword: SchemaKeyword) throws(RemoraError) -> SchemaCondition? {
    let names = ["additionalProperties", "patternProperties", "properties"]
    guard keyword.name == names.first(where: { member($0, of: keyword.schema) != nil }) else { return nil }
    var members = SchemaMembers()
    if let properties = keyword.sibling("properties") {
      members.named = try memberSchemas(properties) { _ in true }
    }
    if let patterns = keyword.sibling("patternProperties") {
      for (name, node) in try memberSchemas(patterns, where: { _ in true }) {
        members.patterns.append((try patterns.pattern(name), node))
      }
    }
    members.others = try sibling("additionalProperties", of: keyword)
    return .members(members)
  }

  /// Returns the members of a keyword that are schemas, with their nodes.
  private mutating func memberSchemas(
    _ keyword: SchemaKeyword, where isWanted: (Value) -> Bool
  ) throws(RemoraError) -> [(name: [UInt8], node: SchemaNodeID)] {
    var found: [(name: [UInt8], node: SchemaNodeID)] = []
    for (name, value) in try keyword.members({ $0 }) where isWanted(value) {
      found.append((name, try node(value, at: "\(keyword.place)/\(pointerToken(name))")))
    }
    return found
  }

  private mutating func dependencies(_ keyword: SchemaKeyword) throws(RemoraError) -> SchemaCondition? {
    let required = try keyword.members { $0 }.filter { $0.1.type == .array }
    let schemas = try memberSchemas(keyword) { $0.type != .array }
    // Members that require names are schemas too: of a node that has only this condition.
    var pairs = schemas
    for (name, value) in required {
      let condition = SchemaCondition.required(try keyword.names(value))
      pairs.append((name, add(condition, at: "\(keyword.place)/\(pointerToken(name))")))
    }
    return .schemaWith(pairs)
  }

  private mutating func elements(_ keyword: SchemaKeyword) throws(RemoraError) -> SchemaCondition? {
    let isList = language.hasItemLists && keyword.schema.member("items")?.type == .array
    let (firstName, restName) = isList ? ("items", "additionalItems") : ("prefixItems", "items")
    let owner = member(firstName, of: keyword.schema) != nil && language.knows(firstName) ? firstName : restName
    guard keyword.name == owner else { return nil }
    let first = owner == firstName ? try list(keyword) : []
    let rest = try sibling(restName, of: keyword)
    return .elements(first: first, rest: rest)
  }

  private mutating func contains(_ keyword: SchemaKeyword) throws(RemoraError) -> SchemaCondition? {
    let least = try keyword.sibling("minContains").flatMap { value throws(RemoraError) in try value.count() }
    let most = try keyword.sibling("maxContains").flatMap { value throws(RemoraError) in try value.count() }
    let isCounted = language.knows("minContains")
    let bounds = isCounted ? (least ?? 1, most ?? .max) : (1, .max)
    let node = try node(keyword.value, at: keyword.place)
    // An impossible range: no number of elements is allowed.
    guard bounds.0 <= bounds.1 else { return .never }
    return .contains(node, count: bounds.0...bounds.1)
  }
}

// MARK: Forms of values

extension SchemaKeyword {
  func sibling(_ name: String) -> SchemaKeyword? {
    member(name, of: schema).map { SchemaKeyword(name, $0, in: schema, at: schemaPlace) }
  }

  func elements() throws(RemoraError) -> [Value] {
    guard value.type == .array else { throw problem("is not an array") }
    return (0..<value.count).compactMap { value.element(at: $0) }
  }

  /// Returns the members of an object, in the order of their names.
  func members<Answer>(_ body: (Value) throws(RemoraError) -> Answer) throws(RemoraError) -> [([UInt8], Answer)] {
    guard value.type == .object else { throw problem("is not an object") }
    var members: [([UInt8], Answer)] = []
    for index in 0..<value.count {
      guard let (name, member) = value.member(at: index) else { continue }
      members.append((Array(name), try body(member)))
    }
    return members
  }

  func names(_ list: Value) throws(RemoraError) -> [[UInt8]] {
    var names: [[UInt8]] = []
    guard list.type == .array else { throw problem("is not an array of strings") }
    for index in 0..<list.count {
      guard let name = list.element(at: index)?.string else { throw problem("is not an array of strings") }
      names.append(Array(name))
    }
    return names
  }

  func text() throws(RemoraError) -> String {
    guard let text = value.string else { throw problem("is not a string") }
    return String(decoding: text, as: UTF8.self)
  }

  func flag() throws(RemoraError) -> Bool {
    guard let flag = value.bool else { throw problem("is not a boolean") }
    return flag
  }

  func count() throws(RemoraError) -> Int {
    guard let number = value.int, number >= 0 else { throw problem("is not an integer of at least 0") }
    return Int(clamping: number)
  }

  func bounds() throws(RemoraError) -> ClosedRange<Int> {
    name.hasPrefix("min") ? try count()...Int.max : 0...(try count())
  }

  func pattern(_ text: String) throws(RemoraError) -> FilterPattern { try pattern(Array(text.utf8)) }

  func pattern(_ text: [UInt8]) throws(RemoraError) -> FilterPattern {
    do throws(FilterError) {
      return try FilterPattern(text, flags: [], called: "the pattern")
    } catch {
      throw problem("cannot be used: \(error.message)")
    }
  }
}
