// SPDX-License-Identifier: Apache-2.0
//
// Large bodies that are reported while they arrive.

import Testing

@testable import Remora

@Suite("Progress reports about large response bodies")
struct ArrivalTests {
  /// The reports about one body: the addresses, and copies of the bytes.
  private typealias Reports = Box<[(address: UnsafeRawPointer?, bytes: [UInt8])]>

  private let body = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

  /// Fetches a response, and returns it with the reports about its body.
  private func fetch(_ answer: [UInt8], reports: Reports) throws -> HTTPResponse {
    let response = Box<HTTPResponse?>(nil)
    try withServer(answering: answer) { server throws in
      var request = HTTPRequest(url: server.url())
      request.arrival = { arrived in
        reports.update { $0.append((arrived.bytes.baseAddress, Array(arrived.bytes))) }
      }
      let fetched = try TestTransport.shared.fetch(request)
      response.update { $0 = fetched }
    }
    return try #require(response.read { $0 })
  }

  /// How a body is sent.
  enum Form: CaseIterable { case plain, chunked, chunkedWithLength, gzip }

  private func answer(_ form: Form, status: String = "200 OK") -> [UInt8] {
    switch form {
    case .plain: return answerBytes(status, body: body)
    case .gzip: return answerBytes(status, headers: ["Content-Encoding: gzip"], body: gzipStored(body))
    case .chunked, .chunkedWithLength:
      // A length beside a transfer encoding has no meaning.
      let length = form == .chunked ? "" : "Content-Length: 5\r\n"
      var bytes = Array("HTTP/1.1 \(status)\r\nTransfer-Encoding: chunked\r\n\(length)\r\n".utf8)
      for start in stride(from: 0, to: body.count, by: 100_000) {
        let chunk = body[start..<min(body.count, start + 100_000)]
        bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
      }
      return bytes + Array("0\r\n\r\n".utf8)
    }
  }

  @Test(
    "the arrival of a body above 256 KiB is reported every 128 KiB, and the received bytes do not move in memory",
    arguments: Form.allCases)
  func reported(form: Form) throws {
    let reports = Reports([])
    let response = try fetch(answer(form), reports: reports)
    #expect(response.body == body)
    #expect(!response.content.isComplete)
    let all = reports.read { $0 }
    #expect((5...10).contains(all.count))
    #expect(all.allSatisfy { $0.address == response.content.bytes.baseAddress })
    for (report, next) in zip(all, all.dropFirst()) { #expect(next.bytes.count - report.bytes.count >= 128 << 10) }
    #expect(all.allSatisfy { $0.bytes.count > 256 << 10 && body.starts(with: $0.bytes) })
  }

  @Test("the arrival of a body is not reported if the body has at most 256 KiB or the status is not 200 or 203")
  func notReported() throws {
    let reports = Reports([])
    let small = try fetch(answerBytes(body: Array(body.prefix(256 << 10))), reports: reports)
    #expect(small.content.isComplete)
    for status in ["404 X", "301 X", "500 X"] { _ = try fetch(answer(.plain, status: status), reports: reports) }
    #expect(reports.read { $0.isEmpty })
  }

  @Test("the part of a body that has arrived stays readable after the transfer has failed")
  func failed() throws {
    let arrived = Box<ReceivedBody?>(nil)
    try withServer { connection in
      _ = connection.readRequest()
      connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n".utf8) + body)
    } run: { server throws in
      var request = HTTPRequest(url: server.url())
      request.arrival = { part in arrived.update { $0 = part } }
      #expect(throws: RemoraError.self) { try TestTransport.shared.fetch(request) }
    }
    let part = try #require(arrived.read { $0 })
    #expect(part.count > 256 << 10)
    #expect(body.starts(with: part.bytes))
  }
}
