// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Remora

@Suite("The names of the members of an object that is read")
struct MemberNamesTests {
  private static func insert(_ name: String, into names: inout MemberNames) -> Bool {
    name.withBytes { names.insert($0) }
  }

  @Test("of ten thousand names each is new once, also the empty one and those that begin alike")
  func manyNames() {
    var names = MemberNames()
    let all = [""] + (0..<10_000).map { "name-\($0)" }
    for name in all { #expect(Self.insert(name, into: &names)) }
    #expect(names.count == all.count)
    for name in all { #expect(!Self.insert(name, into: &names)) }
    #expect(names.count == all.count)
  }

  @Test("two encodings of an accented letter are two names")
  func encodings() {
    var names = MemberNames()
    #expect(Self.insert("\u{E9}", into: &names))
    #expect(Self.insert("e\u{301}", into: &names))
    #expect(!Self.insert("\u{E9}", into: &names))
  }
}
