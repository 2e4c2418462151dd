// SPDX-License-Identifier: Apache-2.0
//
// Overrides by themselves: what one may be, which one takes the place of which, and what is stored of them.

import Testing

@testable import Remora

@Suite("The list of overrides of a source (each has a key, a JSON Pointer and a value)")
struct OverrideListTests {
  @Test("the list of overrides is sorted by key and pointer, whatever the order in which they were set")
  func order() throws {
    let places = [["b", ""], ["a", "/x"], ["a", "/x-y"], ["a", "/x/y"], ["a", "/é"], ["B", "/"], ["a", "/b"]]
    var (forth, back) = (OverrideList(), OverrideList())
    for place in places { try forth.set(makeOverride(place + ["1"])) }
    for place in places.reversed() where place != ["a", "/x/y"] { try back.set(makeOverride(place + ["1"])) }
    try back.set(makeOverride(["a", "/x/y", "1"]))
    #expect(forth.places == ["B:/", "a:/b", "a:/x", "a:/x-y", "a:/x/y", "a:/é", "b:"])
    #expect(forth == back)
  }

  @Test("setting an override removes earlier overrides at the same pointer and below it, and no others")
  func replacing() throws {
    var list = OverrideList()
    for pointer in ["/x", "/x/y", "/x/y/z", "/x-y", "/xy", "/x~0", "/w"] {
      try list.set(makeOverride(["a", pointer, "1"]))
    }
    try list.set(makeOverride(["b", "/x/y", "1"]))
    try list.set(makeOverride(["a", "/x/y", "2"]))
    #expect(list.places == ["a:/w", "a:/x", "a:/x-y", "a:/x/y", "a:/xy", "a:/x~0", "b:/x/y"])
    try list.set(makeOverride(["a", "/x", "3"]))
    #expect(list.places == ["a:/w", "a:/x", "a:/x-y", "a:/xy", "a:/x~0", "b:/x/y"])
    try list.set(makeOverride(["a", "", "4"]))
    #expect(list.places == ["a:", "b:/x/y"])
    try list.set(makeOverride(["a", "/x", "5"]))
    #expect(list.places == ["a:", "a:/x", "b:/x/y"])
    #expect(list.all.map { String(decoding: $0.json, as: UTF8.self) } == ["4", "5", "1"])
  }

  @Test("clearing a pointer removes the overrides at and below it, and fails with NOT_FOUND if none exists")
  func clearing() throws {
    var list = OverrideList()
    for pointer in ["", "/x", "/x/y", "/x-y"] { try list.set(makeOverride(["a", pointer, "1"])) }
    for (key, pointer) in [("a", "/y"), ("a", "/x/y/z"), ("b", ""), ("", "")] {
      let error = #expect(throws: RemoraError.self) { try list.clear(Array(key.utf8), Array(pointer.utf8)) }
      #expect(error?.code == .notFound)
    }
    try list.clear(Array("a".utf8), Array("/x".utf8))
    #expect(list.places == ["a:", "a:/x-y"])
    try list.clear(Array("a".utf8), [])
    #expect(list.places.isEmpty)
    // What is below a place is taken also where the place itself has none.
    try list.set(makeOverride(["a", "/x/y", "1"]))
    try list.clear(Array("a".utf8), Array("/x".utf8))
    #expect(list.places.isEmpty)
  }

  @Test("after ten thousand overrides, a source refuses new ones but still replaces existing ones")
  func most() throws {
    var list = OverrideList()
    for number in 0..<OverrideList.mostOverrides {
      try list.set(makeOverride(["k\(number % 100)", "/\(number)", "1"]))
    }
    let error = #expect(throws: RemoraError.self) { try list.set(makeOverride(["more", "", "1"])) }
    #expect(error?.code == .tooLarge)
    #expect(list.all.count == OverrideList.mostOverrides)
    try list.set(makeOverride(["k0", "/0", "2"]))
    try list.set(makeOverride(["k1", "", "2"]))
    try list.set(makeOverride(["more", "", "1"]))
    #expect(list.all.count == OverrideList.mostOverrides - 98)
  }

  @Test("an override is refused if its pointer or value is invalid, too long or nested too deeply")
  func refused() throws {
    let (open, close) = (String(repeating: "[", count: 64), String(repeating: "]", count: 64))
    let long = String(repeating: "x", count: Override.maximumLength)
    let wrong = [
      ["a", "x", "1"], ["a", "/~", "1"], ["a", "/~2", "1"], ["a", "/" + long, "1"],
      ["a", "", ""], ["a", "", "x"], ["a", "", "{"], ["a", "", "1 2"], ["a", "", #"{"a":1,"a":2}"#],
      ["a", "", "9223372036854775808"], ["a", "", "1e400"], ["a", "", #"{"\u0000":1}"#], ["a", "", "NaN"],
      ["a", "", "\"\(long)\""], ["a", "", "[\(open)1\(close)]"], ["a", "/x", "\(open)1\(close)"],
      ["a", String(repeating: "/x", count: 65), "1"],
    ]
    for parts in wrong {
      let error = #expect(throws: RemoraError.self) { try makeOverride(parts) }
      #expect(error?.code == .invalidArgument, "\(parts.map { $0.prefix(20) })")
      #expect(error?.message.utf8.count ?? 0 < 400)
    }
    #expect(try makeOverride(["a", "", "\(open)1\(close)"]).json.count == 129)
    #expect(try makeOverride(["a", String(repeating: "/x", count: 64), "1"]).names.count == 64)
    #expect(try makeOverride(["a", "", "\"\(long.dropLast(2))\""]).json.count == Override.maximumLength)
    #expect(try makeOverride(["a", "", " { \"b\" : 1.50, \"a\":[ ] }\n"]).json == Array(#"{"a":[],"b":1.5E0}"#.utf8))
  }

  @Test("overrides that were stored are read back unchanged, even the longest and deepest ones")
  func stored() throws {
    var list = OverrideList()
    let (open, close) = (String(repeating: "[", count: 64), String(repeating: "]", count: 64))
    let longest = String(repeating: "k", count: maximumKeyLength)
    try list.set(makeOverride([longest, "", "\(open)1\(close)"]))
    try list.set(makeOverride(["a", "", #"{"s":"\u0000\"\\é","n":[1,2.5,null,true]}"#]))
    try list.set(makeOverride(["a", "/x~0y/~1/", "null"]))
    try list.set(makeOverride(["é", "/", "\"\""]))
    let image = try list.image(of: "identity")
    #expect(try OverrideList(stored: image, of: "identity") == list)
    #expect(try OverrideList(stored: OverrideList().image(of: "x"), of: "x") == OverrideList())
    #expect(throws: RemoraError.self) { try OverrideList(stored: image, of: "other") }
  }

  @Test("a stored file that is not a valid list of overrides is refused as a whole")
  func strangeImage() throws {
    for json in [#"{"a":{"/x":1}}"#, #"{"a":{"x":"1"}}"#, #"{"a":{"":"1"},"b":{"/x":"{"}}"#] {
      #expect(throws: RemoraError.self, "\(json)") { try OverrideList(stored: makeImage(json), of: "test") }
    }
  }
}

extension OverrideList {
  /// "key:pointer" of each.
  var places: [String] {
    all.map { String(decoding: $0.key + [UInt8(ascii: ":")] + $0.pointer, as: UTF8.self) }
  }
}
