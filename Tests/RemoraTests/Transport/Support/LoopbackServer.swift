// SPDX-License-Identifier: Apache-2.0
//
// A server on 127.0.0.1 that answers with scripted bytes: one thread that accepts, one per connection.
// Invariant: `stop` returns only when all its threads have ended.

import Glibc

@testable import Remora

/// Listens until it is stopped.
///
/// `@unchecked Sendable`: `state` is guarded by its box; the rest is constant.
final class LoopbackServer: @unchecked Sendable {
  /// What a connection does; it is closed when the script returns.
  typealias Script = @Sendable (LoopbackConnection) -> Void

  private struct State {
    var threads: [NamedThread] = []
    var open: Set<Int32> = []
    var accepted = 0
    var isStopping = false
  }

  /// The port on 127.0.0.1.
  let port: UInt16
  private let listener: Int32
  private let script: Script
  private let state = Box(State())

  init(_ script: @escaping Script) throws {
    self.script = script
    (listener, port) = try listen()
    let first = try NamedThread.startAsHost(name: "test-accept") { [self] in accept() }
    state.update { $0.threads.append(first) }
  }

  /// The URL of a path on this server.
  func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Connections accepted so far.
  var acceptedCount: Int { state.read { $0.accepted } }

  /// Closes everything and joins the threads.
  func stop() {
    state.update {
      $0.isStopping = true
      for descriptor in $0.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
    let threads = state.read { $0.threads }
    for thread in threads { _ = thread.join(untilMonotonicMs: monotonicMs() + 10_000) }
    close(listener)
  }

  private func accept() {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        return
      }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      state.update { state in
        state.accepted += 1
        guard !state.isStopping else {
          close(descriptor)
          return
        }
        state.open.insert(descriptor)
        let thread = try? NamedThread.startAsHost(name: "test-script") { [self] in serve(descriptor) }
        if let thread { state.threads.append(thread) }
      }
    }
  }

  private func serve(_ descriptor: Int32) {
    script(LoopbackConnection(descriptor: descriptor))
    state.update { state in
      state.open.remove(descriptor)
      close(descriptor)
    }
  }
}

/// One accepted connection; used by its script's thread only.
final class LoopbackConnection {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  init(descriptor: Int32) {
    self.descriptor = descriptor
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The next request's head, or nil when the client is gone.
  func readRequest() -> String? {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let range = buffer.firstRange(of: end) {
        let head = String(decoding: buffer[..<range.upperBound], as: UTF8.self)
        buffer.removeSubrange(..<range.upperBound)
        return head
      }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      buffer += chunk[..<count]
    }
  }

  /// Sends everything; false when the client is gone.
  @discardableResult
  func send(_ bytes: some Collection<UInt8>) -> Bool {
    let bytes = Array(bytes)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Sends a text as it is.
  @discardableResult
  func send(_ text: String) -> Bool { send(text.utf8) }

  /// Sends a complete answer with its length.
  @discardableResult
  func answer(_ status: String = "200 OK", headers: [String] = [], body: [UInt8] = []) -> Bool {
    send(answerBytes(status, headers: headers, body: body))
  }

  /// Answers every request of the connection.
  func answerAll(_ answer: (String) -> [UInt8]) {
    while let request = readRequest(), send(answer(request)) {}
  }

  /// Ends the connection with a TCP reset.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    // The server's close, right after the script, sends the reset.
  }

  /// Waits until the client closes, reading what it still sends; false after 10 s.
  func waitForClose() -> Bool {
    let deadline = monotonicMs() + 10_000
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, Int32(max(0, deadline - monotonicMs()))) > 0 else { return false }
      if recv(descriptor, &chunk, chunk.count, 0) <= 0 { return true }
    }
  }
}

/// The descriptors that are open in this process.
func openDescriptors() -> Set<Int32> { Set((0..<1024).filter { fcntl($0, F_GETFD) >= 0 }) }

/// A complete answer with its length.
func answerBytes(_ status: String = "200 OK", headers: [String] = [], body: [UInt8] = []) -> [UInt8] {
  let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers
  return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
}

/// A listening socket on a free port of 127.0.0.1.
func listen() throws -> (descriptor: Int32, port: UInt16) {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let failed = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) != 0 || Glibc.listen(descriptor, 128) != 0
        || getsockname(descriptor, $0, &length) != 0
    }
  }
  if failed { throw RemoraError.storage("listen", "127.0.0.1", errno: errno) }
  return (descriptor, UInt16(bigEndian: address.sin_port))
}
