// SPDX-License-Identifier: Apache-2.0
//
// Names of files: only digits and fixed suffixes, written and read back alike.

import Testing

@testable import Remora

@Suite("Storage names")
struct StorageNameTests {
  @Test("a name is 32 lower-case hexadecimal digits, and nothing else is a name")
  func digits() {
    #expect(source.hex.utf8.count == 32)
    #expect(StorageName(hex32: source.hex) == source)
    let text = String(source.hex.dropLast())
    for end in ["", "g", "F", "/", ".", "00", "\0", "é"] { #expect(StorageName(hex32: text + end) == nil) }
  }

  @Test("hash128Hex is the canonical form of XXH3-128")
  func canonical() {
    #expect(hash128Hex(UnsafeRawBufferPointer(start: nil, count: 0)) == "99aa06d3014798d86001c324468d497f")
  }

  @Test("every file name is read back as what it was written for")
  func roundTrip() {
    let files: [StoredFile] =
      ImageSlot.allCases.map { .image(source, $0) }
      + [.ledger(source), .serverLedger(server), .newTemporary(source), .lock]
    for file in files { #expect(StoredFile(fileName: file.fileName) == file) }
  }

  @Test("names of other files mean nothing")
  func foreign() {
    let hex = source.hex
    let names = [
      "", ".", "..", "lock2", hex, "\(hex).", "\(hex).other", "\(hex).live.bak", "\(hex).0.tmp", "x\(hex).live",
      "server-\(hex)", "server-.ledger", "server-\(hex).live", "\(hex).0123456789abcdeg.tmp", "\(hex)..live",
    ]
    for name in names { #expect(StoredFile(fileName: name) == nil, "\(name)") }
  }
}
