// SPDX-License-Identifier: Apache-2.0
//
// Typed reads, members, elements and JSON Pointers.

import Testing

@testable import Remora

@Suite("Values of a snapshot")
struct ValueTests {
  @Test("each value can be read as its own type, and as no other type")
  func types() throws {
    let snapshot = try makeSnapshot(#"{"n":null,"b":true,"i":7,"d":0.5,"s":"é","a":[1],"o":{"m":1}}"#)
    try withExtendedLifetime(snapshot) {
      let found = try ["n", "b", "i", "d", "s", "a", "o"].map { try #require(snapshot.value($0)) }
      #expect(found.map(\.type) == [.null, .bool, .int, .double, .string, .array, .object])
      #expect(found.map { $0.bool != nil } == [false, true, false, false, false, false, false])
      #expect(found.map { $0.int != nil } == [false, false, true, false, false, false, false])
      #expect(found.map { $0.double != nil } == [false, false, true, true, false, false, false])
      #expect(found.map { $0.string != nil } == [false, false, false, false, true, false, false])
      #expect(found.map(\.count) == [0, 0, 0, 0, 0, 1, 1])
    }
  }

  @Test(
    "a number is converted to another numeric type only if the conversion is exact",
    arguments: [
      ("3.0", 3, 3.0), ("3.5", nil, 3.5), ("9007199254740992", 9_007_199_254_740_992, 9_007_199_254_740_992.0),
      ("9007199254740993", 9_007_199_254_740_993, nil), ("1e300", nil, 1e300), ("-0.0", 0, -0.0),
    ] as [(String, Int64?, Double?)])
  func numbers(json: String, int: Int64?, double: Double?) throws {
    let snapshot = try makeSnapshot("{\"k\":\(json)}")
    #expect(snapshot.value("k")?.int == int)
    #expect(snapshot.value("k")?.double == double)
  }

  @Test("a string keeps U+0000, and is terminated by a NUL character")
  func nul() throws {
    let snapshot = try makeSnapshot(#"{"k":"a\u0000b"}"#)
    let string = try #require(snapshot.value("k")?.string)
    #expect(Array(string) == [97, 0, 98])
    #expect(string.baseAddress?.load(fromByteOffset: 3, as: UInt8.self) == 0)
    withExtendedLifetime(snapshot) {}
  }

  @Test("each member of an object of any size is found, and no other member", arguments: [0, 1, 7, 8, 9, 17, 200])
  func members(count: Int) throws {
    let members = (0..<count).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
    let snapshot = try makeSnapshot("{\"k\":{\(members)}}")
    for number in 0..<count { #expect(snapshot.value("k", "/m\(number)")?.int == Int64(number)) }
    for name in ["", "a", "m", "m\(count)", "z"] { #expect(snapshot.value("k", "/\(name)") == nil) }
  }

  @Test(
    "JSON Pointers are resolved as in RFC 6901",
    arguments: [
      ("", "object"), ("/foo", "array"), ("/foo/0", "string"), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
      ("/e^f", "3"), ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"), ("/foo/01", "absent"),
      ("/foo/-", "absent"), ("/foo/2", "absent"), ("/foo/99999999999", "absent"), ("/none", "absent"),
      ("/foo/0/x", "absent"), ("x", "malformed"), ("/a~", "malformed"), ("/a~2", "malformed"),
    ])
  func pointers(pointer: String, expected: String) throws {
    let document = #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#
    let snapshot = try makeSnapshot("{\"k\":\(document)}")
    try withExtendedLifetime(snapshot) {
      let root = try #require(snapshot.value("k"))
      let found =
        switch pointer.withBytes({ root.at(pointer: $0) }) {
        case .absent: "absent"
        case .malformed: "malformed"
        case .found(let value): value.int.map { "\($0)" } ?? "\(value.type)"
        }
      #expect(found == expected)
    }
  }
}
