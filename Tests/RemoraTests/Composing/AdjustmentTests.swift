// SPDX-License-Identifier: Apache-2.0
//
// What overrides make of a base: a table of bases, overrides and what is read.

import Testing

@testable import Remora

@Suite("Adjustments (defaults and overrides that are merged over fetched data)")
struct AdjustmentTests {
  /// A row: the base, overrides as key, pointer and JSON, and what is read.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let base: String
    let overrides: [[String]]
    let effective: String

    init(_ name: String, _ base: String, _ overrides: [[String]], _ effective: String) {
      self.name = name
      self.base = base
      self.overrides = overrides
      self.effective = effective
    }

    var testDescription: String { name }
  }

  static let rows = [
    Row("nothing", #"{"a":1}"#, [], #"{"a":1}"#),
    Row("a whole value", #"{"a":1,"b":2}"#, [["a", "", "10"]], #"{"a":10,"b":2}"#),
    Row("a whole value by another type", #"{"a":{"x":1}}"#, [["a", "", "[1,2]"]], #"{"a":[1,2]}"#),
    Row(
      "a new key, between, before and behind", #"{"b":1,"d":1}"#,
      [["a", "", "0"], ["c", "", "0"], ["e", "", "0"]], #"{"a":0,"b":1,"c":0,"d":1,"e":0}"#),
    Row("a new key by a member", "{}", [["a", "/x/y", "1"]], #"{"a":{"x":{"y":1}}}"#),
    Row(
      "a member among others", #"{"a":{"x":1,"y":{"z":2,"w":3}}}"#, [["a", "/y/z", "20"]],
      #"{"a":{"x":1,"y":{"w":3,"z":20}}}"#),
    Row("a member that is missing", #"{"a":{"x":1}}"#, [["a", "/y/z", "2"]], #"{"a":{"x":1,"y":{"z":2}}}"#),
    Row("an explicit null", #"{"a":{"x":1}}"#, [["a", "/x", "null"]], #"{"a":{"x":null}}"#),
    Row("a whole null", #"{"a":1,"b":2}"#, [["a", "", "null"], ["c", "", "null"]], #"{"b":2}"#),
    Row(
      "through a null", #"{"a":null,"b":{"x":null}}"#, [["a", "/x", "1"], ["b", "/x/y", "1"]],
      #"{"a":{"x":1},"b":{"x":{"y":1}}}"#),
    Row(
      "a shorter one above is applied first", #"{"a":{"x":1,"y":2}}"#,
      [["a", "", #"{"z":0}"#], ["a", "/x", "9"]], #"{"a":{"x":9,"z":0}}"#),
    Row(
      "three levels of one key", #"{"a":{"b":{"c":1,"d":1},"e":1}}"#,
      [["a", "/b", #"{"f":2}"#], ["a", "/b/g", "3"], ["a", "/e", "4"]], #"{"a":{"b":{"f":2,"g":3},"e":4}}"#),
    Row(
      "names with slashes, tildes and no letters", #"{"a":{"b/c":1,"d~e":2,"":3,"~1":4}}"#,
      [["a", "/b~1c", "10"], ["a", "/d~0e", "20"], ["a", "/", "30"], ["a", "/~01", "40"]],
      #"{"a":{"":30,"b/c":10,"d~e":20,"~1":40}}"#),
    Row("a name below the empty name", "{}", [["a", "//x", "1"]], #"{"a":{"":{"x":1}}}"#),
    Row("an array is replaced as a whole", #"{"a":{"l":[1,2,3]}}"#, [["a", "/l", "[9]"]], #"{"a":{"l":[9]}}"#),
    Row(
      "what came in the way later is replaced", #"{"a":5,"b":{"x":[1]},"c":"s"}"#,
      [["a", "/x/y", "1"], ["b", "/x/0", "1"], ["c", "/", "1"]], #"{"a":{"x":{"y":1}},"b":{"x":{"0":1}},"c":{"":1}}"#),
    Row(
      "numbers, escapes and NUL keep their values", #"{"a":{"d":0.75,"i":-9223372036854775808,"s":"é\u0000\n"}}"#,
      [["a", "/m", "100.0"]], #"{"a":{"d":7.5E-1,"i":-9223372036854775808,"m":1E2,"s":"\u00e9\u0000\n"}}"#),
  ]

  @Test("the value of an override is read instead of the fetched value", arguments: rows)
  func table(row: Row) throws {
    let base = try makeImage(row.base)
    var adjustments = Adjustments()
    for override in row.overrides { try adjustments.overrides.set(makeOverride(override)) }
    let snapshot = try compose(base, adjustments)
    #expect(try snapshot.text() == row.effective)
    #expect((snapshot.overlay == nil) == row.overrides.isEmpty)
    let keys = Set(row.overrides.map { $0[0] })
    for key in ["a", "b", "c", "d", "e"] {
      let expected: Origin? = snapshot.value(key) == nil ? nil : keys.contains(key) ? .override : .cached
      #expect(key.withBytes { snapshot.origin(of: $0) } == expected, "\(key)")
      #expect(key.withBytes { snapshot.unfiltered.origin(of: $0) } == (base.has(key) ? .cached : nil), "\(key)")
    }
    #expect(try snapshot.unfiltered.text() == Snapshot(base: base, origin: .cached).text())
  }

  @Test("merging the same overrides over the same data twice creates identical bytes")
  func pure() throws {
    let base = try makeImage(#"{"a":{"x":1},"b":2}"#)
    var adjustments = Adjustments()
    try adjustments.overrides.set(makeOverride(["a", "/y", "[1]"]))
    let first = try #require(try compose(base, adjustments).overlay)
    let second = try #require(try compose(base, adjustments).overlay)
    #expect(first.buffer.bytes.elementsEqual(second.buffer.bytes))
  }

  @Test("a value without an override is read from the fetched data in place, and only changed values are copied")
  func shared() throws {
    let base = try makeImage(#"{"a":{"x":1},"b":{"x":1}}"#)
    var adjustments = Adjustments()
    try adjustments.overrides.set(makeOverride(["a", "/y", "1"]))
    let snapshot = try compose(base, adjustments)
    #expect(snapshot.value("b")?.region == UnsafePointer(base.buffer.region))
    #expect(snapshot.value("a")?.region != UnsafePointer(base.buffer.region))
  }

  @Test("in a source with ten thousand keys, overrides of a thousand keys change no other keys")
  func many() throws {
    let members = (0..<10_000).map { #""key-\#($0)":{"n":\#($0)}"# }.joined(separator: ",")
    let base = try makeImage("{\(members)}")
    var adjustments = Adjustments()
    for number in stride(from: 0, to: 10_000, by: 10) {
      try adjustments.overrides.set(makeOverride(["key-\(number)", "/n", "-1"]))
    }
    let snapshot = try compose(base, adjustments)
    #expect(snapshot.count == 10_000)
    for number in 0..<10_000 {
      #expect(snapshot.value("key-\(number)", "/n")?.int == (number % 10 == 0 ? -1 : Int64(number)))
    }
  }

  @Test("two sorted lists of keys are merged in order, and a key that is in both is listed once")
  func merging() {
    let lists: [[String]] = [[], ["a"], ["b"], ["a", "b"], ["a", "c", "e"], ["b", "c", "d", "e", "f"], ["é"]]
    for left in lists {
      for right in lists {
        let merged = mergeKeys(left.map { Array($0.utf8) }, right.map { Array($0.utf8) })
        #expect(merged.map { String(decoding: $0, as: UTF8.self) } == Set(left + right).sorted())
      }
    }
  }

  @Test("changing the override of one key leaves the other keys unchanged, even if filters hide them")
  func afterChange() throws {
    let base = try makeImage(#"{"a":{"x":1},"b":{"x":1},"c":{"x":1}}"#)
    var composition = Composition(
      try SignedServer.onOwnHost().dialect(policy: .off), nothing: try Snapshot.empty(hashSeed: .test))
    var adjustments = Adjustments()
    for key in ["a", "b", "c"] { try adjustments.overrides.set(makeOverride([key, "/y", "1"])) }
    try adjustments.overrides.set(makeOverride(["c", "/filter_expression", #""false""#]))
    var last = try composition.compose(base, .cached, under: adjustments, in: FilterContext()) { _, _ in }
    #expect(try last.text() == #"{"a":{"x":1,"y":1},"b":{"x":1,"y":1}}"#)
    try adjustments.overrides.set(makeOverride(["b", "/y", "2"]))
    let change = KeyChange(key: Array("b".utf8), last: last)
    last = try composition.compose(base, .cached, under: adjustments, after: change, in: FilterContext()) { _, _ in }
    let afresh = try composition.compose(base, .cached, under: adjustments, in: FilterContext()) { _, _ in }
    #expect(try last.text() == #"{"a":{"x":1,"y":1},"b":{"x":1,"y":2}}"#)
    let (one, two) = (try #require(last.overlay), try #require(afresh.overlay))
    #expect(one.buffer.bytes.elementsEqual(two.buffer.bytes))
    // Of another base nothing is taken over.
    let other = try makeImage(#"{"a":{"z":1}}"#)
    let moved = try composition.compose(other, .fetched, under: adjustments, after: change, in: FilterContext()) {
      _, _ in
    }
    #expect(try moved.text() == #"{"a":{"y":1,"z":1},"b":{"y":2}}"#)
  }

  private func compose(_ base: Image, _ adjustments: Adjustments) throws -> Snapshot {
    var composition = Composition(
      try SignedServer.onOwnHost().dialect(policy: .off), nothing: try Snapshot.empty(hashSeed: .test))
    return try composition.compose(base, .cached, under: adjustments, in: FilterContext()) { _, _ in }
  }
}

/// An override of key, pointer and JSON.
func makeOverride(_ parts: [String]) throws(RemoraError) -> Override {
  try Override(key: Array(parts[0].utf8), pointer: Array(parts[1].utf8), json: Array(parts[2].utf8))
}

extension Image {
  /// Whether a key is in it.
  fileprivate func has(_ key: String) -> Bool { key.withBytes { reader(over: nil).entry($0) } != nil }
}
