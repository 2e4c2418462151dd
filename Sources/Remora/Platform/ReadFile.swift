// SPDX-License-Identifier: Apache-2.0
//
// A whole file of the host's, such as packaged data. Files of the storage directory are the Store's.

internal import Glibc

/// The bytes of a regular file.
///
/// - Throws: `.storage` with the system's words; `.tooLarge` beyond `limit` bytes.
package func readFile(_ path: String, limit: Int) throws(RemoraError) -> [UInt8] {
  try WholeFile(path, limit: limit).bytes
}

/// A regular file as it was read.
package struct WholeFile {
  package let bytes: [UInt8]
  /// When it was last modified, in milliseconds since 1970.
  package let modifiedMs: Int64

  /// Reads it.
  ///
  /// - Throws: as `readFile`.
  package init(_ path: String, limit: Int) throws(RemoraError) {
    // Without O_NONBLOCK the opening of a FIFO waits for a writer.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .storage("open", path, errno: errno) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .storage("examine", path, errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw RemoraError(.storage, "\(path) is not a regular file") }
    modifiedMs = Int64(status.st_mtim.tv_sec) &* 1000 &+ Int64(status.st_mtim.tv_nsec) / 1_000_000
    var bytes: [UInt8] = []
    var failure: Int32 = 0
    while bytes.count <= limit {
      let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        let got = read(file, buffer.baseAddress, buffer.count)
        failure = got < 0 ? errno : 0
        count = max(0, got)
      }
      if failure == EINTR { continue }
      guard failure == 0 else { throw .storage("read", path, errno: failure) }
      if chunk.isEmpty {
        self.bytes = bytes
        return
      }
      bytes += chunk
    }
    throw RemoraError(.tooLarge, "\(path) has more than \(limit) bytes")
  }
}
