// SPDX-License-Identifier: Apache-2.0
//
// A server on the loopback interface that answers one request with status 204.

import Dispatch
import Glibc

/// Accepts one connection, and answers its first request.
final class LoopbackListener: Sendable {
  let port: UInt16
  private let requests = AsyncStream.makeStream(of: String.self)
  private let socket: Int32

  init() throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutableBytes(of: &address) { bytes in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return bind(socket, address, length) == 0 && listen(socket, 1) == 0 && getsockname(socket, address, &length) == 0
    }
    guard socket >= 0, isListening else { throw FileFailure(number: errno) }
    port = UInt16(bigEndian: address.sin_port)
    self.socket = socket
    let sink = requests.continuation
    DispatchQueue.global().async {
      let connection = accept(socket, nil, nil)
      defer { close(connection) }
      var head: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 4096)
      while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        let count = read(connection, &part, part.count)
        guard count > 0 else { break }
        head += part.prefix(count)
      }
      let answer = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
      _ = write(connection, answer, answer.count)
      sink.yield(String(decoding: head, as: UTF8.self))
    }
  }

  deinit { close(socket) }

  /// Waits for the request. Returns its first line.
  func requestLine() async -> String? { await requestLines().first }

  /// Waits for the request. Returns its first line and its headers.
  func requestLines() async -> [String] {
    await requests.stream.first { _ in true }?.split(separator: "\r\n").map(String.init) ?? []
  }
}
