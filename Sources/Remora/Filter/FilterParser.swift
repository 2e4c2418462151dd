// SPDX-License-Identifier: Apache-2.0
//
// Parses tokens to a tree: `?:` binds weakest, followed by the levels of the operators, prefixes, and paths.
// Invariant: no recursion is deeper than `FilterLimits.depth`, so the evaluation of the tree is not deeper either.

package struct FilterParser {
  private let tokens: [FilterToken]
  private var position = 0
  private var nodes: [FilterNode] = []
  private var depth = 0
  /// Inside square brackets after a subject: whether a relative identifier was found; nil outside.
  private var isRelative: Bool?

  private init(_ tokens: [FilterToken]) { self.tokens = tokens }

  /// Parses an expression.
  ///
  /// - Throws: For a syntax error or a reached limit, with a message.
  package static func parse(_ text: [UInt8]) throws(FilterError) -> FilterTree {
    guard text.count <= FilterLimits.length else {
      throw FilterError(
        "the expression has \(text.count) bytes; at most \(FilterLimits.length) are allowed", isLimit: true)
    }
    var lexer = FilterLexer(text)
    var parser = FilterParser(try lexer.tokens())
    let root = try parser.expression()
    guard parser.position == parser.tokens.count else { throw parser.unexpected() }
    return FilterTree(nodes: parser.nodes, root: root)
  }

  // MARK: The grammar

  private mutating func expression() throws(FilterError) -> FilterTree.Index {
    try enter()
    var branches: [FilterBranch] = []
    while true {
      let test = try operation(atLeast: 1)
      guard take(.question) else {
        depth &-= 1
        return branches.isEmpty ? test : add(.conditional(branches, otherwise: test))
      }
      let value = take(.colon) ? nil : try expression()
      if value != nil { try expect(.colon) }
      branches.append(FilterBranch(test: test, value: value))
    }
  }

  private mutating func operation(atLeast level: Int) throws(FilterError) -> FilterTree.Index {
    var left = try operand()
    while let operation = FilterOperator(next), operation.level >= level {
      position &+= 1
      try enter()
      let right = try self.operation(atLeast: operation.level &+ 1)
      depth &-= 1
      left = fold(left, FilterFoldPart(operation: operation, right: right))
    }
    return left
  }

  /// Appends a part to a fold. Evaluation is from left to right, so a fold on the left is continued, even in
  /// parentheses.
  private mutating func fold(_ left: FilterTree.Index, _ part: FilterFoldPart) -> FilterTree.Index {
    guard case .fold(let first, var parts) = nodes[left] else { return add(.fold(left, [part])) }
    nodes[left] = .constant(.null)
    parts.append(part)
    nodes[left] = .fold(first, parts)
    return left
  }

  private mutating func operand() throws(FilterError) -> FilterTree.Index {
    var prefixes: [FilterPrefix] = []
    while true {
      if take(.not) {
        prefixes.append(.not)
      } else if take(.minus) {
        prefixes.append(.minus)
      } else {
        let operand = try path()
        return prefixes.isEmpty ? operand : add(.prefixed(prefixes, operand))
      }
    }
  }

  private mutating func path() throws(FilterError) -> FilterTree.Index {
    let subject = try primary()
    var parts: [FilterPathPart] = []
    while true {
      if take(.dot) {
        parts.append(.member(try name()))
      } else if take(.openBracket) {
        let outer = isRelative
        isRelative = false
        let inner = try expression()
        try expect(.closeBracket)
        parts.append(isRelative == true ? .filter(inner) : .index(inner))
        isRelative = outer
      } else if take(.pipe) {
        let name = String(decoding: try name(), as: UTF8.self)
        let arguments = take(.openParenthesis) ? try list(until: .closeParenthesis) : []
        let transform = FilterTransform(rawValue: name)
        parts.append(transform.map { .transform($0, arguments: arguments) } ?? .unknownTransform(name: name))
      } else {
        return parts.isEmpty ? subject : add(.path(subject, parts))
      }
    }
  }

  private mutating func primary() throws(FilterError) -> FilterTree.Index {
    guard let token = next else { throw FilterError("the expression ends too early") }
    position &+= 1
    switch token {
    case .number(let number): return add(.constant(.number(number)))
    case .string(let bytes): return add(.constant(.string(bytes)))
    case .name(let name): return try word(name)
    case .symbol(.openParenthesis):
      let inner = try expression()
      try expect(.closeParenthesis)
      return inner
    case .symbol(.openBracket): return add(.array(try list(until: .closeBracket)))
    case .symbol(.openBrace): return add(.object(try members()))
    case .symbol(.dot) where isRelative != nil:
      isRelative = true
      return add(.relative(try name()))
    case .symbol:
      position &-= 1
      throw unexpected()
    }
  }

  private mutating func word(_ name: [UInt8]) throws(FilterError) -> FilterTree.Index {
    if name.elementsEqual("true".utf8) { return add(.constant(.bool(true))) }
    if name.elementsEqual("false".utf8) { return add(.constant(.bool(false))) }
    if name.elementsEqual("null".utf8) { return add(.constant(.null)) }
    if name.elementsEqual("in".utf8) {
      position &-= 1
      throw unexpected()
    }
    return add(.identifier(name))
  }

  /// Parses a list of expressions separated by commas; a trailing comma is allowed.
  private mutating func list(until end: FilterSymbol) throws(FilterError) -> [FilterTree.Index] {
    var items: [FilterTree.Index] = []
    while !take(end) {
      items.append(try expression())
      guard take(.comma) else {
        try expect(end)
        break
      }
    }
    return items
  }

  private mutating func members() throws(FilterError) -> [FilterObjectPart] {
    var parts: [FilterObjectPart] = []
    while !take(.closeBrace) {
      let name: [UInt8]
      if case .string(let bytes)? = next {
        name = bytes
        position &+= 1
      } else {
        name = try self.name()
      }
      try expect(.colon)
      parts.append(FilterObjectPart(name: name, value: try expression()))
      guard take(.comma) else {
        try expect(.closeBrace)
        break
      }
    }
    return parts
  }

  // MARK: Tokens

  private var next: FilterToken? { position < tokens.count ? tokens[position] : nil }

  private mutating func take(_ symbol: FilterSymbol) -> Bool {
    guard next == .symbol(symbol) else { return false }
    position &+= 1
    return true
  }

  private mutating func expect(_ symbol: FilterSymbol) throws(FilterError) {
    guard take(symbol) else { throw unexpected() }
  }

  private mutating func name() throws(FilterError) -> [UInt8] {
    guard case .name(let name)? = next else { throw unexpected() }
    position &+= 1
    return name
  }

  private mutating func enter() throws(FilterError) {
    depth &+= 1
    guard depth <= FilterLimits.depth else {
      throw FilterError("the expression is nested deeper than \(FilterLimits.depth) levels", isLimit: true)
    }
  }

  private mutating func add(_ node: FilterNode) -> FilterTree.Index {
    nodes.append(node)
    return nodes.count &- 1
  }

  private func unexpected() -> FilterError {
    switch next {
    case nil: FilterError("the expression ends too early")
    case .symbol(let symbol): FilterError("unexpected \(symbol.rawValue)")
    case .name(let name): FilterError("unexpected name \(String(decoding: name, as: UTF8.self))")
    case .number, .string: FilterError("unexpected literal")
    }
  }
}
