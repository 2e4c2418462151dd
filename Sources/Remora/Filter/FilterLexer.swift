// SPDX-License-Identifier: Apache-2.0
//
// Splits text into tokens, by the rules of jexl-rs, or of mozjexl if jexl-rs has no rule. One pass over bytes.

package enum FilterToken: Equatable, Sendable {
  /// An identifier or a word such as `true`, `null` and `in`.
  case name([UInt8])
  case number(Double)
  case string([UInt8])
  case symbol(FilterSymbol)
}

/// Operators and brackets; raw values are their text.
package enum FilterSymbol: String, Sendable {
  case or = "||"
  case and = "&&"
  case equal = "=="
  case notEqual = "!="
  case lessOrEqual = "<="
  case greaterOrEqual = ">="
  case floorDivide = "//"
  case less = "<"
  case greater = ">"
  case plus = "+"
  case minus = "-"
  case times = "*"
  case divide = "/"
  case remainder = "%"
  case power = "^"
  case not = "!"
  case pipe = "|"
  case question = "?"
  case colon = ":"
  case comma = ","
  case dot = "."
  case openParenthesis = "("
  case closeParenthesis = ")"
  case openBracket = "["
  case closeBracket = "]"
  case openBrace = "{"
  case closeBrace = "}"
}

extension FilterSymbol {
  /// The symbol of two characters; nil if they form no symbol.
  fileprivate init?(_ first: UInt8, _ second: UInt8) {
    switch (Unicode.Scalar(first), Unicode.Scalar(second)) {
    case ("|", "|"): self = .or
    case ("&", "&"): self = .and
    case ("=", "="): self = .equal
    case ("!", "="): self = .notEqual
    case ("<", "="): self = .lessOrEqual
    case (">", "="): self = .greaterOrEqual
    case ("/", "/"): self = .floorDivide
    default: return nil
    }
  }

  /// The symbol of one character; nil if it forms no symbol.
  fileprivate init?(_ first: UInt8) {
    switch Unicode.Scalar(first) {
    case "<": self = .less
    case ">": self = .greater
    case "+": self = .plus
    case "-": self = .minus
    case "*": self = .times
    case "/": self = .divide
    case "%": self = .remainder
    case "^": self = .power
    case "!": self = .not
    case "|": self = .pipe
    case "?": self = .question
    case ":": self = .colon
    case ",": self = .comma
    case ".": self = .dot
    case "(": self = .openParenthesis
    case ")": self = .closeParenthesis
    case "[": self = .openBracket
    case "]": self = .closeBracket
    case "{": self = .openBrace
    case "}": self = .closeBrace
    default: return nil
    }
  }
}

/// Splits an expression into tokens.
package struct FilterLexer {
  private let text: [UInt8]
  private var position = 0

  package init(_ text: [UInt8]) { self.text = text }

  /// Returns all tokens.
  ///
  /// - Throws: For an invalid token, with its position.
  package mutating func tokens() throws(FilterError) -> [FilterToken] {
    var tokens: [FilterToken] = []
    while true {
      position &+= filterSpace(text[position...])
      guard let byte = peek() else { return tokens }
      if byte == UInt8(ascii: "#") {
        skipComment()
      } else if byte.isDecimalDigit || byte == UInt8(ascii: "."), let number = try number() {
        tokens.append(.number(number))
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        tokens.append(.string(try string(quote: byte)))
      } else if isNameStart(byte) {
        let start = position
        while let next = peek(), isNameStart(next) || next.isDecimalDigit, filterSpace(text[position...]) == 0 {
          position &+= 1
        }
        tokens.append(.name(Array(text[start..<position])))
      } else {
        tokens.append(.symbol(try symbol()))
      }
    }
  }

  /// Skips a comment, which ends with its line.
  private mutating func skipComment() {
    while let byte = peek(), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { position &+= 1 }
  }

  private func peek(_ offset: Int = 0) -> UInt8? {
    let index = position &+ offset
    return index < text.count ? text[index] : nil
  }

  /// Reads digits with a fraction and an exponent; nil for a dot that does not begin a number.
  private mutating func number() throws(FilterError) -> Double? {
    let start = position
    var digits = [UInt8](text[start..<skipDigits(from: start)])
    position = start &+ digits.count
    if peek() == UInt8(ascii: "."), let next = peek(1), next.isDecimalDigit {
      let end = skipDigits(from: position &+ 1)
      digits = (digits.isEmpty ? [UInt8(ascii: "0")] : digits) + text[position..<end]
      position = end
    }
    guard !digits.isEmpty else { return nil }
    if let mark = peek(), mark | 0x20 == UInt8(ascii: "e") {
      let isSigned = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-")
      let end = skipDigits(from: position &+ (isSigned ? 2 : 1))
      if end > position &+ (isSigned ? 2 : 1) {
        digits += text[position..<end]
        position = end
      }
    }
    guard let number = Double(String(decoding: digits, as: UTF8.self)), number.isFinite else {
      throw FilterError("the number at byte \(start) is too large")
    }
    return number
  }

  private func skipDigits(from start: Int) -> Int {
    var end = start
    while end < text.count, text[end].isDecimalDigit { end &+= 1 }
    return end
  }

  /// Reads a string. A backslash escapes the string's quote and itself; before any other character it is literal.
  private mutating func string(quote: UInt8) throws(FilterError) -> [UInt8] {
    let start = position
    var bytes: [UInt8] = []
    position &+= 1
    while let byte = peek() {
      position &+= 1
      if byte == quote { return bytes }
      if byte == UInt8(ascii: "\\"), let next = peek(), next == quote || next == byte {
        bytes.append(next)
        position &+= 1
      } else {
        bytes.append(byte)
      }
    }
    throw FilterError("the string at byte \(start) is not terminated")
  }

  private mutating func symbol() throws(FilterError) -> FilterSymbol {
    if let first = peek(), let second = peek(1), let symbol = FilterSymbol(first, second) {
      position &+= 2
      return symbol
    }
    if let first = peek(), let symbol = FilterSymbol(first) {
      position &+= 1
      return symbol
    }
    throw FilterError("the expression has an unknown character at byte \(position)")
  }
}

extension UInt8 {
  /// Whether it is an ASCII digit.
  var isDecimalDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}

/// Whether a byte is a letter, `_`, `$`, or not ASCII.
private func isNameStart(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
  default: false
  }
}

/// Returns the number of leading white space bytes, by JavaScript's definition.
package func filterSpace(_ text: ArraySlice<UInt8>) -> Int {
  // The most frequent case: no white space.
  if let first = text.first, first > 0x20, first < 0x80 { return 0 }
  var index = text.startIndex
  while index < text.endIndex {
    switch text[index] {
    case 0x20, 0x09...0x0D: index &+= 1
    case 0xC2 where text[index...].starts(with: [0xC2, 0xA0]): index &+= 2
    case 0xE1 where text[index...].starts(with: [0xE1, 0x9A, 0x80]): index &+= 3
    case 0xE2:
      guard text.endIndex &- index >= 3 else { return index &- text.startIndex }
      switch (text[index &+ 1], text[index &+ 2]) {
      case (0x80, 0x80...0x8A), (0x80, 0xA8), (0x80, 0xA9), (0x80, 0xAF), (0x81, 0x9F): index &+= 3
      default: return index &- text.startIndex
      }
    case 0xE3 where text[index...].starts(with: [0xE3, 0x80, 0x80]): index &+= 3
    case 0xEF where text[index...].starts(with: [0xEF, 0xBB, 0xBF]): index &+= 3
    default: return index &- text.startIndex
    }
  }
  return index &- text.startIndex
}
