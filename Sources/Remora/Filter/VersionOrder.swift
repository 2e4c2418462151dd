// SPDX-License-Identifier: Apache-2.0
//
// Mozilla's order of versions. Parts are separated by dots; each is a number, a text, a number and a rest. A missing
// part is 0, and a text precedes no text. "1.0pre1" < "1.0pre2" < "1.0" = "1.0.0" < "1.1pre" = "1.0+" < "1.1".

/// Compares two versions: -1, 0 or 1.
///
/// - Throws: For text that is not ASCII and numbers beyond 32 bits, as the reference implementation does.
package func compareMozillaVersions(_ left: [UInt8], _ right: [UInt8]) throws(FilterError) -> Int {
  let lefts = try parts(of: left)
  let rights = try parts(of: right)
  for index in 0..<max(lefts.count, rights.count) {
    let left = index < lefts.count ? lefts[index] : VersionPart()
    let right = index < rights.count ? rights[index] : VersionPart()
    let order = left.compare(with: right)
    if order != 0 { return order }
  }
  return 0
}

private func parts(of version: [UInt8]) throws(FilterError) -> [VersionPart] {
  var parts: [VersionPart] = []
  for text in version.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
    parts.append(try VersionPart(text))
  }
  return parts
}

/// A part between two dots.
private struct VersionPart {
  private var first: Int32 = 0
  private var text: ArraySlice<UInt8> = []
  private var second: Int32 = 0
  private var rest: ArraySlice<UInt8> = []

  init() {}

  init(_ part: ArraySlice<UInt8>) throws(FilterError) {
    guard part.allSatisfy({ $0 < 0x80 }) else { throw FilterError("a version has non-ASCII characters") }
    guard !part.elementsEqual([UInt8(ascii: "*")]) else {
      first = .max
      return
    }
    var left = part
    first = try Self.number(&left)
    if left.first == UInt8(ascii: "+") {
      first = try Self.checked(first.addingReportingOverflow(1))
      text = Array("pre".utf8)[...]
      return
    }
    text = left.prefix { !$0.isDecimalDigit && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }
    left = left.dropFirst(text.count)
    second = try Self.number(&left)
    rest = left
  }

  func compare(with other: VersionPart) -> Int {
    if first != other.first { return first < other.first ? -1 : 1 }
    let order = compare(text, other.text)
    if order != 0 { return order }
    if second != other.second { return second < other.second ? -1 : 1 }
    return compare(rest, other.rest)
  }

  /// Compares by bytes; an empty text is last.
  private func compare(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
    if left.isEmpty != right.isEmpty { return left.isEmpty ? 1 : -1 }
    if left.lexicographicallyPrecedes(right) { return -1 }
    return right.lexicographicallyPrecedes(left) ? 1 : 0
  }

  private static func number(_ text: inout ArraySlice<UInt8>) throws(FilterError) -> Int32 {
    var number: Int32 = 0
    while let byte = text.first, byte.isDecimalDigit {
      number = try checked(number.multipliedReportingOverflow(by: 10))
      number = try checked(number.addingReportingOverflow(Int32(byte &- UInt8(ascii: "0"))))
      text = text.dropFirst()
    }
    return number
  }

  private static func checked(_ result: (partialValue: Int32, overflow: Bool)) throws(FilterError) -> Int32 {
    guard !result.overflow else { throw FilterError("a version has a number that exceeds 32 bits") }
    return result.partialValue
  }
}
