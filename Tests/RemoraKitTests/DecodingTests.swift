// SPDX-License-Identifier: Apache-2.0

import RemoraKit
import Testing

@Suite("Decoding of values into Swift types", .timeLimit(.minutes(2)))
struct DecodingTests {
  struct Limits: Decodable, Equatable {
    enum Mode: String, Decodable { case fast, safe }
    var max: Int8
    var ratio: Double
    var share: Float
    var mode: Mode
    var names: [String]
    var weights: [String: UInt16]
    var note: String?
    var absent: Int?
    var more: [[Bool?]]
    var any: JSONValue
  }

  @Test("A nested object is decoded with all kinds of values")
  func nested() async throws {
    let settings = try await Stage().fetched(
      """
      {"limits":{"max":127,"ratio":2,"share":0.1,"mode":"safe","names":["a","ü"],"weights":{"x":65535},"note":null,
      "more":[[true,null],[]],"any":{"a":[1,2.5]}}}
      """)
    let limits = try settings.decode(Limits.self, "limits")
    let expected = Limits(
      max: 127, ratio: 2, share: 0.1, mode: .safe, names: ["a", "ü"], weights: ["x": 65535], note: nil, absent: nil,
      more: [[true, nil], []], any: ["a": [1, 2.5]])
    #expect(limits == expected)
    #expect(try settings.decode([String].self, "limits", "/names") == ["a", "ü"])
    #expect(settings.value("limits", "/ratio", default: 1) == 2)
    #expect(settings.value("limits", "/names/7", default: "none") == "none")
  }

  @Test(
    "Decoding an integer refuses a number that is out of range or has a fraction",
    arguments: ["128", "-129", "1.5", "1e300"])
  func outOfRange(number: String) async throws {
    let settings = try await Stage().fetched(#"{"a":{"b":[0,\#(number)]}}"#)
    let error = try #require(throws: DecodingError.self) { try settings.decode([String: [Int8]].self, "a") }
    guard case .dataCorrupted(let context) = error else { throw error }
    #expect(context.codingPath.map(\.stringValue) == ["a", "b", "Index 1"])
    #expect(context.codingPath.last?.intValue == 1)
  }

  @Test("Decoding keeps all 64 bits of integers, and accepts integral doubles as integers")
  func exactIntegers() async throws {
    let settings = try await Stage().fetched(
      #"{"big":9223372036854775807,"small":-9223372036854775808,"whole":3.0,"odd":9007199254740993}"#)
    #expect(try settings.decode(Int64.self, "big") == .max)
    #expect(try settings.decode(Int64.self, "small") == .min)
    #expect(try settings.decode(UInt64.self, "big") == UInt64(Int64.max))
    #expect(try settings.decode(Int128.self, "small") == Int128(Int64.min))
    #expect(try settings.decode(Int.self, "whole") == 3)
    #expect(throws: DecodingError.self) { try settings.decode(UInt.self, "small") }
    #expect(throws: DecodingError.self) { try settings.decode(Double.self, "odd") }
  }

  @Test("Each kind of decoding failure throws its own DecodingError with the path to the value")
  func failures() async throws {
    let settings = try await Stage().fetched(#"{"a":{"b":null,"c":"text"}}"#)
    func failure(_ pointer: String) throws -> (String, [String]) {
      switch try #require(throws: DecodingError.self, performing: { try settings.decode(Int.self, "a", pointer) }) {
      case .keyNotFound(let key, let context): ("missing \(key.stringValue)", context.codingPath.map(\.stringValue))
      case .valueNotFound(_, let context): ("null", context.codingPath.map(\.stringValue))
      case .typeMismatch(_, let context): ("type", context.codingPath.map(\.stringValue))
      case .dataCorrupted(let context): ("corrupted", context.codingPath.map(\.stringValue))
      @unknown default: ("unknown", [])
      }
    }
    #expect(try failure("/x") == ("missing x", ["a"]))
    #expect(try failure("/b") == ("null", ["a", "b"]))
    #expect(try failure("/c") == ("type", ["a", "c"]))
    #expect(try failure("") == ("type", ["a"]))
    #expect(try failure("c") == ("corrupted", ["a", "c"]))
    #expect(throws: DecodingError.self) { try settings.decode(Bool.self, "none") }
  }

  @Test("A custom init(from:) can decode keys, elements, nested containers and super decoders")
  func byHand() async throws {
    struct Base: Decodable, Equatable { var id: Int }
    struct Point: Decodable, Equatable {
      enum Keys: String, CodingKey { case at, list, parent = "super", other }
      var x: Int
      var parts: [String] = []
      var base: Base
      var hasOther: Bool

      init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        hasOther = members.contains(.other)
        x = try members.nestedContainer(keyedBy: Keys.self, forKey: .at).decode(Int.self, forKey: .other)
        var list = try members.nestedUnkeyedContainer(forKey: .list)
        while !list.isAtEnd { parts.append(try list.decodeNil() ? "nil" : list.decode(String.self)) }
        base = try Base(from: members.superDecoder())
        #expect(throws: DecodingError.self) { try list.decode(String.self) }
        #expect(list.count == 2 && list.currentIndex == 2)
      }
    }
    let settings = try await Stage().fetched(
      #"{"p":{"at":{"other":4},"list":["a",null],"super":{"id":7}}}"#)
    let point = try settings.decode(Point.self, "p")
    #expect(point.x == 4 && point.parts == ["a", "nil"] && point.base == Base(id: 7) && !point.hasOther)
  }

  @Test("A Decoder that an init(from:) has kept can still be used after the source and the client are freed")
  func keptDecoder() async throws {
    struct Late: Decodable {
      let decoder: any Decoder
      init(from decoder: any Decoder) { self.decoder = decoder }
    }
    var settings: SettingsSource? = try await Stage().fetched(#"{"a":["one","two"]}"#)
    let late = try #require(try settings?.decode(Late.self, "a"))
    settings = nil
    #expect(try [String](from: late.decoder) == ["one", "two"])
  }
}
