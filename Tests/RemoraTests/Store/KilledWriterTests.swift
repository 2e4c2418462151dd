// SPDX-License-Identifier: Apache-2.0
//
// A writer in another process that commits without end and is killed anywhere, and a reader that watches it.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Processes that are killed while they store data")
final class KilledWriterTests: StoreSuite {
  private let count = 20_000

  // Each test runs in a process of its own: in the process of all tests, a child may inherit a lock of the Swift
  // runtime that another test holds, because the library's fork gate does not exclude tests.

  @Test("after a kill, readers find only complete data, and the next writer does not wait", .forks)
  func killed() async {
    await #expect(processExitsWith: .success) {
      for cycle in 1...20 { try KilledWriterTests().storeAndKill(in: cycle) }
    }
  }

  @Test("after a kill while data is stored or activated, the current or the previous version is complete", .forks)
  func killedPromoter() async {
    await #expect(processExitsWith: .success) {
      for cycle in 1...10 { try KilledWriterTests().promoteAndKill(in: cycle) }
    }
  }

  private func storeAndKill(in cycle: Int) throws {
    let newest = try newestAfterKill(in: cycle) { lock, next, ledger in
      try lock.commit(next)
      try lock.writeLedger(ledger)
    }
    DirectorySweep(directory).run(nowMs: SystemClock().nowMs)
    try #require(!temporary.names.contains { $0.hasSuffix(".tmp") })
    try #require(try newest == directory.bytes(.live) ?? directory.bytes(.previous))
    try #require(newest == image(newest.bytes.first ?? 0, count: count))
    try directory.locked().commit(image(0, count: count))
  }

  private func promoteAndKill(in cycle: Int) throws {
    _ = try newestAfterKill(in: cycle) { lock, next, ledger in
      try lock.commit(next, to: .staged)
      try lock.writeLedger(ledger)
      try lock.promoteStaged()
    }
    try directory.locked().commit(image(0, count: count), to: .staged)
    try directory.locked().promoteStaged()
    try #require(try directory.bytes(.live) == image(0, count: count))
  }

  /// Starts a writer, reads what it stores, kills it, and returns the newest image that it left. The first byte of an
  /// image is the generation of the ledger that belongs to it.
  private func newestAfterKill(
    in cycle: Int, _ store: @escaping (SourceLock, ImageBytes, SourceLedger) throws -> Void
  ) throws -> ImageBytes {
    try directory.locked().commit(image(1, count: count))
    let (directory, count) = (directory, count)
    let writer = ForkedChild {
      guard let lock = try? directory.locked() else { return 1 }
      var ledger = SourceLedger()
      while true {
        ledger.generation += 1
        let next = image(UInt8(truncatingIfNeeded: ledger.generation), count: count)
        guard (try? store(lock, next, ledger)) != nil else { return 2 }
      }
    }
    let deadline = monotonicMs() + 30_000
    var generation: UInt64 = 0
    while generation < UInt64(cycle), monotonicMs() < deadline {
      let newest = try directory.bytes(.live) ?? directory.bytes(.previous)
      try #require(newest != nil)
      for found in [newest, try directory.bytes(.staged)] {
        if let found { try #require(found == image(found.bytes.first ?? 0, count: count)) }
      }
      let seen = directory.readLedger(source).generation
      try #require(seen >= generation)
      generation = seen
    }
    writer.kill()
    try #require(generation >= UInt64(cycle))
    let newest = try #require(try directory.bytes(.staged) ?? directory.bytes(.live) ?? directory.bytes(.previous))
    let stored = UInt8(truncatingIfNeeded: directory.readLedger(source).generation)
    try #require([stored, stored &+ 1].contains(newest.bytes.first))
    return newest
  }

  @Test("the temporary files of 100 killed processes are deleted by one opening and one refresh", .forks)
  func killedBeforeRename() async {
    await #expect(processExitsWith: .success) { try KilledWriterTests().deleteTemporaries() }
  }

  private func deleteTemporaries() throws {
    let server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
    let identity = try server.dialect().identity
    let path = temporary.path("storage")
    for number in 0..<100 {
      // A refresh, an override and a seed each have a lock and temporaries of their own.
      let name = StorageName(hashing: identity)
      let locked = [name, name.ofOverrides, name.ofSeed][number % 3]
      let status = inForkedChild {
        var calls = SystemCalls.real
        calls.directories.rename = { _, _, _ in
          kill(getpid(), SIGKILL)
          return -EIO
        }
        guard let lock = try? StorageDirectory.open(path: path, calls: calls).locked(locked) else { return 1 }
        if locked == name { _ = try? lock.commit(image(1)) }
        guard let buffer = try? OverrideList().image(of: identity).buffer else { return 2 }
        if locked == name.ofOverrides { try? lock.commitOverrides(buffer, of: name) }
        try? lock.commitSeed(RawImage(buffer), of: name)
        return 3
      }
      try #require(status == 128 + SIGKILL)
    }
    func leftovers() throws -> Int {
      try StorageDirectory.open(path: path).storedFiles().count { $0.fileName.hasSuffix(".tmp") }
    }
    try #require(try leftovers() == 100)
    let scene = try Scene(in: temporary, server: server)
    scene.transport.answer { _ in nil }
    let handle = try scene.open()
    let ends = Completions([])
    _ = try handle.source.refreshAsync(into: ends)
    try #require(scene.transport.waitForRequests(1))
    // The first look of the client comes while its own refresh has the lock.
    Runtime.shared.worker.perform { right in
      scene.client.sweep.sweptAtMs[right] = nil
      scene.client.sweepIfDue(right)
    }
    try #require(try leftovers() == 0)
    scene.transport.answer { .success(server.answer($0.url)) }
    scene.transport.release(.success(server.answer(scene.transport.requests[0].url)))
    try #require(ends.outcomes() == [.updated])
    try #require(try leftovers() == 0)
  }
}
