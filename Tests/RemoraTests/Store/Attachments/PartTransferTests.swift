// SPDX-License-Identifier: Apache-2.0
//
// Parts and the transport together: bytes of a server in a file, and what they cost.

import Glibc
import Testing

@testable import Remora

@Suite("Downloads into a partial file")
struct PartTransferTests {
  @Test("after interruptions, a download is continued in its partial file until it is complete")
  func brokenOften() throws {
    let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let temporary = try TemporaryDirectory()
    let starts = Box<[Int]>([])
    try withServer { connection in
      guard let request = connection.readRequest() else { return }
      starts.update { $0.append(rangeStart(of: request) ?? 0) }
      connection.send(rangedAnswer(request, body).prefix(30_000))
    } run: { server throws in
      var isWhole = false
      for _ in 0..<10 where !isWhole {
        let directory = try StorageDirectory.open(path: temporary.path)
        #expect(try directory.attachment(bytes: body.count) == nil)
        let lock = try directory.locked(logo)
        let part = try lock.openPart(logo)
        isWhole = (try? TestTransport.shared.fetch(download(server.url(), part, body.count))) != nil
        if isWhole { try lock.install(part) }
      }
      #expect(isWhole)
      let stored = try StorageDirectory.open(path: temporary.path).attachment(bytes: body.count)
      #expect(stored == ImageBytes(body))
    }
    #expect(starts.read { $0 == $0.sorted() && $0.count == 4 && $0.first == 0 })
  }

  @Test(
    "a full disk ends the download, and its lock is free when the completion is called", arguments: [ENOSPC, EIO])
  func fullDisk(number: Int32) throws {
    let temporary = try TemporaryDirectory()
    let faults = FaultySystemCalls()
    let directory = try StorageDirectory.open(path: temporary.path, calls: faults.calls)
    try withServer(answering: answerBytes(body: [1, 2, 3])) { server throws in
      let (isStarted, isFree) = (Box(false), Box<Bool?>(nil))
      let box = OutcomeBox([])
      faults.arm([5: .fails(errno: number)])
      _ = try TestTransport.shared.start(
        download(server.url(), try directory.locked(logo).openPart(logo), 3)
      ) { result in
        // Until then the caller has the part as well, and the lock with it.
        _ = isStarted.wait { $0 }
        isFree.update { $0 = (try? directory.tryLock(logo.storageName)) != nil }
        box.update { $0.append(result) }
      }
      isStarted.update { $0 = true }
      let error = #expect(throws: RemoraError.self) { try box.outcome().get() }
      #expect(error?.code == .storage)
      #expect(error?.message.hasSuffix(errorText(number)) == true)
      #expect(isFree.read { $0 } == true)
    }
  }

  @Test("downloading a hundred megabytes uses no private memory of the process", .memory)
  func memory() async {
    await #expect(processExitsWith: .success) {
      let chunk = [UInt8](repeating: 5, count: 1 << 20)
      let temporary = try TemporaryDirectory()
      let directory = try StorageDirectory.open(path: temporary.path)
      let server = try LoopbackServer { connection in
        while let request = connection.readRequest() {
          let count = request.contains("/small") ? 1 : 100
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count << 20)\r\n\r\n")
          for _ in 0..<count where !connection.send(chunk) { return }
        }
      }
      // What a transfer costs, whatever its size.
      for path in ["/small", "/small"] {
        let lock = try directory.locked(photo)
        let part = try lock.openPart(photo)
        try part.truncate(to: 0)
        _ = try TestTransport.shared.fetch(download(server.url(path), part, 1 << 20))
      }
      let before = ownKilobytes()
      let lock = try directory.locked(logo)
      let part = try lock.openPart(logo)
      let seen = Box((looks: 0, most: 0))
      var request = download(server.url(), part, 100 << 20)
      request.destination?.progress = { count in
        seen.update { seen in
          guard count >> 22 > seen.looks else { return }
          seen = (count >> 22, max(seen.most, ownKilobytes()))
        }
      }
      try #require(try TestTransport.shared.fetch(request).bodyEnd == 100 << 20)
      let content = try part.load()
      try lock.install(part)
      try #require(content.bytes.first == 5 && content.bytes.last == 5)
      try #require(before > 0)
      let most = max(seen.read(\.most), ownKilobytes())
      try #require(seen.read(\.looks) == 25)
      try #require(most - before < 2048, "\(most - before) KiB more")
      server.stop()
      withExtendedLifetime(temporary) {}
    }
  }
}

/// A request whose body goes on where a part ends.
private func download(_ url: String, _ part: PartFile, _ size: Int) -> HTTPRequest {
  HTTPRequest(
    url: url, to: BodyDestination(offset: part.count, limit: size, write: { part.write($0, at: $1) }))
}

/// The process's memory that no file backs, in KiB.
private func ownKilobytes() -> Int {
  guard let status = try? readFile("/proc/self/status", limit: 1 << 16) else { return 0 }
  let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
  return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}
