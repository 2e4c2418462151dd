// SPDX-License-Identifier: Apache-2.0
//
// A download in another process that is killed anywhere, a reader that watches, and the next one that continues.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Processes that are killed during a download")
final class KilledDownloadTests: StoreSuite {
  @Test(
    "after a kill during a download, no incomplete attachment exists and the next process resumes the download", .forks,
    arguments: 1...20)
  func killed(cycle: Int) throws {
    let count = 20_000
    let directory = directory
    let writer = ForkedChild {
      while true {
        guard let lock = try? directory.locked(logo), let part = try? lock.openPart(logo) else { return 1 }
        while part.count < count {
          guard (try? part.append(image(7, count: 500).bytes[...])) != nil else { return 2 }
        }
        guard (try? lock.install(part)) != nil else { return 3 }
        lock.unlock()
      }
    }
    // The size of the part tells where it is; each cycle kills it elsewhere.
    let deadline = monotonicMs() + 30_000
    var seen = 0
    while seen < cycle, monotonicMs() < deadline {
      let stored = try directory.attachment(bytes: count)
      #expect(stored == nil || stored == image(7, count: count))
      var status = stat()
      let isThere = stat(temporary.path("\(logo.hex).part"), &status) == 0
      if isThere, Int(status.st_size) >= 1000 * (cycle % 20) { seen += 1 }
    }
    writer.kill()
    #expect(seen == cycle)
    let lock = try directory.locked(logo)
    let part = try lock.openPart(logo)
    let left = part.count
    #expect(try part.bytes == image(7, count: left))
    #expect(left <= count)
    try part.append(image(7, count: count - left).bytes[...])
    try lock.install(part)
    #expect(try directory.attachment(bytes: count) == image(7, count: count))
    #expect(temporary.names == ["\(logo.hex).attachment", "lock"])
  }
}
