// SPDX-License-Identifier: Apache-2.0
//
// Names of files: only digits and fixed suffixes, written and read back alike.

import Testing

@testable import Remora

@Suite("File names in the storage directory")
struct StorageNameTests {
  @Test("file names identify a source by 32 lower-case hexadecimal digits, and any other form is refused")
  func digits() {
    #expect(source.hex.utf8.count == 32)
    #expect(StorageName(hex32: source.hex) == source)
    let text = String(source.hex.dropLast())
    for end in ["", "g", "F", "/", ".", "00", "\0", "é"] { #expect(StorageName(hex32: text + end) == nil) }
  }

  @Test("the name of an attachment can be created from 64 hexadecimal digits or from 32 bytes")
  func attachments() {
    let hex = String(repeating: "0123456789abcdef", count: 4)
    #expect(AttachmentName(hex64: hex)?.hex == hex)
    #expect(AttachmentName(hex64: hex.uppercased())?.hex == hex)
    let digest = (0..<32).map { UInt8(truncatingIfNeeded: 0x0123_4567_89AB_CDEF >> (56 - 8 * ($0 % 8))) }
    #expect(AttachmentName(digest: digest)?.hex == hex)
    for count in [0, 31, 33, 48] { #expect(AttachmentName(digest: [UInt8](repeating: 1, count: count)) == nil) }
    let text = String(hex.dropLast())
    for end in ["", "g", "G", "/", ".", "00", "\0", "é", "\u{212A}", "０"] {
      #expect(AttachmentName(hex64: text + end) == nil, "\(end)")
    }
    #expect(logo.storageName != photo.storageName)
    #expect(logo.storageName == StorageName(hashing: "attachment \(logo.hex)"))
  }

  @Test("hash128Hex returns the canonical form of XXH3-128")
  func canonical() {
    #expect(hash128Hex(UnsafeRawBufferPointer(start: nil, count: 0)) == "99aa06d3014798d86001c324468d497f")
  }

  @Test("the source and the kind of a file are recognised from its name")
  func roundTrip() {
    let files: [StoredFile] =
      ImageSlot.allCases.map { .image(source, $0) }
      + [
        .ledger(source), .serverLedger(server), .overrides(source), .seed(source), .newTemporary(source), .lock,
        .attachment(logo), .packaged(source, digest: otherSource.hex),
      ]
      + [.part(logo)]
    for file in files { #expect(StoredFile(fileName: file.fileName) == file) }
  }

  @Test("names of other files are not recognised as files of a source")
  func foreign() {
    let hex = source.hex
    let names = [
      "", ".", "..", "lock2", hex, "\(hex).", "\(hex).other", "\(hex).live.bak", "\(hex).0.tmp", "x\(hex).live",
      "\(logo.hex).live", "\(logo.hex).tmp", "\(logo.hex)", "\(hex).part", "\(hex).attachment",
      "\(logo.hex.uppercased()).attachment", "\(logo.hex).attachment.part", "\(logo.hex)0.part", "server-\(hex)",
      "server-.ledger", "server-\(hex).live", "\(hex).0123456789abcdeg.tmp", "\(hex)..live",
      "server-\(hex).overrides", "\(hex).overrides.bak", "server-\(hex).seed", "\(hex).seed.tmp",
      "\(hex).packaged", "\(hex).0123456789abcdef.packaged", "\(hex).\(hex.uppercased()).packaged",
    ]
    for name in names { #expect(StoredFile(fileName: name) == nil, "\(name)") }
  }
}
