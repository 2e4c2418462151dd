// SPDX-License-Identifier: Apache-2.0
//
// Stable sampling, as in Firefox: the hash of a value's JSON text decides, so the same input is always in the same
// sample. Compares 48 bits of SHA-256 with a fraction of 2^48 - 1.

/// The position of a value in the range of all hashes.
package struct FilterSample {
  private let hash: UInt64

  /// Hashes the JSON text that JavaScript would write for a value, with the members of objects sorted by name.
  package init(of value: FilterValue, _ budget: inout FilterBudget) throws(FilterError) {
    var text: [UInt8] = []
    try value.appendJavaScriptJSON(to: &text, &budget)
    hash = sha256(text).prefix(6).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Whether the value is in a sample with this rate, from 0 to 1.
  package func isBelow(_ rate: Double) throws(FilterError) -> Bool { hash < (try Self.key(rate)) }

  /// Whether the value is in one of `count` buckets of `total`, beginning with `start` and continuing at 0 after the
  /// last.
  package func isInBucket(start: Double, count: Double, total: Double) throws(FilterError) -> Bool {
    guard total > 0 else { throw FilterError("the number of buckets of a sample must be more than 0") }
    let start = start.truncatingRemainder(dividingBy: total)
    let end = start + count
    guard end > total else { return try isBetween(start / total, end / total) }
    if try isBetween(0, end.truncatingRemainder(dividingBy: total) / total) { return true }
    return try isBetween(start / total, 1)
  }

  private func isBetween(_ low: Double, _ high: Double) throws(FilterError) -> Bool {
    let low = try Self.key(low)
    let high = try Self.key(high)
    return low <= hash && hash < high
  }

  /// Returns the hash at a fraction of the range.
  private static func key(_ fraction: Double) throws(FilterError) -> UInt64 {
    guard fraction >= 0, fraction <= 1 else {
      throw FilterError("the rate or range of a sample must be between 0 and 1")
    }
    return UInt64(exactly: (fraction * 281_474_976_710_655).rounded(.down)) ?? 0
  }
}

extension FilterValue {
  /// Appends the text that JSON.stringify produces.
  fileprivate func appendJavaScriptJSON(to text: inout [UInt8], _ budget: inout FilterBudget) throws(FilterError) {
    try budget.spend()
    switch self {
    case .null: text += "null".utf8
    case .bool(let bool): text += (bool ? "true" : "false").utf8
    case .int(let int): text += javaScriptText(of: Double(int)).utf8
    case .number(let number): text += javaScriptText(of: number).utf8
    case .string(let bytes): try appendQuoted(bytes, to: &text, &budget)
    case .array(let items):
      text.append(UInt8(ascii: "["))
      for (index, item) in items.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        try item.appendJavaScriptJSON(to: &text, &budget)
      }
      text.append(UInt8(ascii: "]"))
    case .object(let members):
      text.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        try appendQuoted(member.name, to: &text, &budget)
        text.append(UInt8(ascii: ":"))
        try member.value.appendJavaScriptJSON(to: &text, &budget)
      }
      text.append(UInt8(ascii: "}"))
    }
  }
}

private func appendQuoted(
  _ bytes: [UInt8], to text: inout [UInt8], _ budget: inout FilterBudget
) throws(FilterError) {
  try budget.spend(bytes: bytes.count)
  text.append(UInt8(ascii: "\""))
  for byte in bytes {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
    case 0x08: text += "\\b".utf8
    case 0x09: text += "\\t".utf8
    case 0x0A: text += "\\n".utf8
    case 0x0C: text += "\\f".utf8
    case 0x0D: text += "\\r".utf8
    case 0..<0x20: text += ((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)).utf8
    default: text.append(byte)
    }
  }
  text.append(UInt8(ascii: "\""))
}

/// Returns a finite number as JavaScript writes it: the shortest digits, with an exponent below 1e-6 and from 1e21 on.
package func javaScriptText(of number: Double) -> String {
  guard number != 0 else { return "0" }
  // The description has the shortest digits, in one of the forms 120.0, 0.0012, 1.2e+20, 1e-07.
  let parts = number.magnitude.description.split(separator: "e")
  let mantissa = parts[0].split(separator: ".")
  let fraction = mantissa.count > 1 && mantissa[1] != "0" ? String(mantissa[1]) : ""
  let all = String(mantissa[0]) + fraction
  let zeros = all.utf8.prefix { $0 == UInt8(ascii: "0") }.count
  var digits = String(all.dropFirst(zeros))
  while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
  let count = digits.utf8.count
  /// The number of digits before the decimal point.
  let point = mantissa[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - zeros
  let sign = number < 0 ? "-" : ""
  if point > 21 || point <= -6 {
    let exponent = point - 1
    let tail = count > 1 ? ".\(digits.dropFirst())" : ""
    return "\(sign)\(digits.prefix(1))\(tail)e\(exponent < 0 ? "-" : "+")\(abs(exponent))"
  }
  if point <= 0 { return "\(sign)0.\(String(repeating: "0", count: -point))\(digits)" }
  if point >= count { return "\(sign)\(digits)\(String(repeating: "0", count: point - count))" }
  return "\(sign)\(digits.prefix(point)).\(digits.dropFirst(point))"
}
