// SPDX-License-Identifier: Apache-2.0
//
// Values that do not fit into the short forms of an image: large numbers, and long strings, names, arrays and objects.

import Testing

@testable import Remora

@Suite("Values at the limits of their stored forms")
struct ValueLayoutTests {
  @Test("an integer of any size is read back", arguments: [0, 31, 46, 47, 48, 52, 53, 62, 63])
  func integers(bits: Int) throws {
    let power = bits == 63 ? Int64.max : 1 << Int64(bits)
    for number in [power, power - 1, -power, -power - 1] {
      let snapshot = try makeSnapshot("{\"k\":[\(number)],\"n\":\(number)}")
      #expect(snapshot.value("n")?.int == number)
      #expect(snapshot.value("k", "/0")?.int == number)
      #expect(snapshot.value("n")?.double == Double(exactly: number))
      #expect(try snapshot.text() == "{\"k\":[\(number)],\"n\":\(number)}")
    }
  }

  @Test(
    "a double of any size is read back as a double",
    arguments: [
      0.5, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      140_737_488_355_328.5, 1e22,
    ])
  func doubles(number: Double) throws {
    let snapshot = try makeSnapshot("{\"k\":\(number)}")
    let read = try #require(snapshot.value("k"))
    #expect(read.type == .double)
    #expect(read.double?.bitPattern == number.bitPattern)
  }

  @Test(
    "a string of any length is read back, with and without escapes",
    arguments: [0, 1, 7, 8, 254, 255, 65_535, 65_536, 131_071, 131_072, 300_000])
  func strings(length: Int) throws {
    let plain = String(repeating: "x", count: length)
    for (json, string) in [(plain, plain), (plain + "\\n\\\"", plain + "\n\""), ("\\u0000é" + plain, "\0é" + plain)] {
      let snapshot = try makeSnapshot("{\"a\":\"\(json)\",\"b\":[\"\(json)\",1]}")
      for value in [snapshot.value("a"), snapshot.value("b", "/0")] {
        let bytes = try #require(value?.string)
        #expect(bytes.elementsEqual(string.utf8))
        // C hosts rely on it.
        #expect(bytes.baseAddress?.load(fromByteOffset: bytes.count, as: UInt8.self) == 0)
      }
      #expect(snapshot.value("b", "/1")?.int == 1)
    }
  }

  @Test(
    "a member name of any length is found, with and without escapes",
    arguments: [0, 1, 253, 254, 255, 256, 65_535, 65_536, 140_000])
  func names(length: Int) throws {
    let plain = String(repeating: "n", count: length)
    for name in [plain, plain + "é", "\u{1}" + plain] {
      let json = name.replacing("\u{1}", with: "\\u0001")
      let snapshot = try makeSnapshot("{\"k\":{\"\(json)\":1,\"zz\":2,\"a\":{\"\(json)\":3}}}")
      let value = try #require(snapshot.value("k"))
      #expect(name.withBytes { value.member(named: $0)?.int } == 1)
      #expect(name.withBytes { value.member("a")?.member(named: $0)?.int } == 3)
      #expect(value.member("zz")?.int == 2)
      #expect((name + "n").withBytes { value.member(named: $0)?.int } == nil)
      let names = (0..<value.count).compactMap { value.member(at: $0).map { String(decoding: $0.name, as: UTF8.self) } }
      #expect(names == ["a", name, "zz"].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
      #expect(try snapshot.text() == canonicalText(of: value))
    }
  }

  @Test("members are found behind a value that is longer than the distance that a short name can state")
  func farNames() throws {
    for length in 65_520...65_540 {
      let text = String(repeating: "x", count: length)
      let snapshot = try makeSnapshot("{\"k\":{\"a\":\"\(text)\",\"b\":1,\"c\":{\"d\":2}}}")
      #expect(snapshot.value("k", "/a")?.string?.count == length)
      #expect(snapshot.value("k", "/b")?.int == 1)
      #expect(snapshot.value("k", "/c/d")?.int == 2)
      #expect(snapshot.value("k", "/e") == nil)
    }
  }

  @Test("an array or object of any size is read back", arguments: [0, 1, 2, 8, 9, 17, 1000, 131_071, 131_072, 140_000])
  func containers(count: Int) throws {
    let array = (0..<count).map(String.init).joined(separator: ",")
    let object = (0..<count).map { "\"\($0)\":\($0)" }.joined(separator: ",")
    let snapshot = try makeSnapshot("{\"array\":[\(array)],\"object\":{\(object)}}")
    let (elements, members) = (try #require(snapshot.value("array")), try #require(snapshot.value("object")))
    #expect((elements.count, members.count) == (count, count))
    for index in 0..<count {
      #expect(elements.element(at: index)?.int == Int64(index))
      #expect(String(index).withBytes { members.member(named: $0)?.int } == Int64(index))
    }
    #expect(elements.element(at: count) == nil)
    #expect(members.member("-1") == nil)
    #expect(members.member(at: count) == nil)
  }

  @Test("a record is found by its id, which may have escapes or follow a long member")
  func ids() throws {
    let long = String(repeating: "x", count: 70_000)
    for (id, json) in [("plain", "plain"), ("é", "é"), ("\"", "\\\""), ("a", "a")] {
      for member in ["\"b\":1", "\"b\":\"\(long)\"", "\"z\":\"\(long)\"", "\"b\":{\"id\":\"other\"}"] {
        var encoder = EntryEncoder()
        let record = Array("{\(member),\"id\":\"\(json)\"}".utf8)
        let range = try record.withBytes { record throws(RemoraError) in
          let parsed = try ParsedJSON(text: record, named: "the record")
          return try id.withBytes { id throws(RemoraError) in try encoder.append(key: id, parsed, isID: true) }
        }
        let memory = try encoder.finish()
        let entry = try #require(Entry(at: UInt32(range.offset), in: memory.region))
        #expect(String(decoding: entry.key, as: UTF8.self) == id)
        #expect(entry.isKeyEnded)
        #expect(entry.value.member("id")?.string?.elementsEqual(id.utf8) == true)
        #expect(entry.value.count == 2)
        withExtendedLifetime(memory) {}
      }
    }
  }

  private func canonicalText(of value: Value) throws -> String {
    try value.withCanonicalText { "{\"k\":" + String(decoding: $0, as: UTF8.self) + "}" }
  }
}
