// SPDX-License-Identifier: Apache-2.0
//
// Files that are on the disk and wait for their name.

import Glibc
import Testing

@testable import Remora

@Suite("Files that are written completely before they replace the stored data")
struct WrittenFileTests {
  let temporary: TemporaryDirectory
  let directory: StorageDirectory
  let content = image(7)

  init() throws {
    temporary = try TemporaryDirectory()
    directory = try StorageDirectory.open(path: temporary.path("storage"))
  }

  private var temporaries: [String] { directory.storedFiles().map(\.fileName).filter { $0.hasSuffix(".tmp") } }

  private func write(_ name: StorageName = source) throws -> WrittenFile {
    try WrittenFile(RawImage(content.bytes), of: name, in: directory)
  }

  @Test("a written file that does not replace stored data is deleted when it is released")
  func removed() throws {
    let count = try withExtendedLifetime(write()) { temporaries.count }
    #expect(count == 1)
    #expect(temporaries.isEmpty)
  }

  @Test("a written file that has replaced the stored data stays after it is released")
  func committed() throws {
    let lock = try directory.locked()
    let stored = try lock.commitImage(write(), to: .live)
    withExtendedLifetime(stored) { #expect(ImageBytes(stored.bytes) == content) }
    #expect(try directory.bytes(.live) == content)
    #expect(temporaries.isEmpty)
  }

  @Test("a written file of one source cannot replace stored data while only the lock of another source is held")
  func otherLock() throws {
    let lock = try directory.locked(otherSource)
    #expect(code { _ = try lock.commitImage(write(), to: .live) } == .internal)
    #expect(try directory.bytes(.live, of: otherSource) == nil)
    #expect(temporaries.isEmpty)
  }

  @Test("a forked child does not delete a file that its parent has written", .forks)
  func fork() async {
    await #expect(processExitsWith: .success) {
      let suite = try WrittenFileTests()
      let written = Box<WrittenFile?>(try suite.write())
      Runtime.shared.lock.withLock { Runtime.shared.handleForks($0) }
      let ended = inForkedChild {
        written.update { $0 = nil }
        return 0
      }
      try #require(ended == 0)
      try #require(suite.temporaries.count == 1)
      written.update { $0 = nil }
      try #require(suite.temporaries.isEmpty)
    }
  }
}
