// SPDX-License-Identifier: Apache-2.0
//
// A directory of a test's own, removed with the last reference.

import CTestSupport
import Glibc

/// A private directory that lives as long as this object.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir)/remora-kit-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } != nil }
    guard made else { throw FileFailure(number: errno) }
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  deinit { test_remove_tree(path) }

  /// Writes a file.
  func write(_ name: String, _ bytes: [UInt8]) throws {
    let file = creat("\(path)/\(name)", 0o600)
    guard file >= 0 else { throw FileFailure(number: errno) }
    defer { close(file) }
    _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
  }
}

/// A file operation that failed.
struct FileFailure: Error {
  let number: Int32
}

/// Waits, at most 10 ms, until a file descriptor can be read.
func waitUntilReadable(_ descriptor: Int32) {
  var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  poll(&polled, 1, 10)
}
