// SPDX-License-Identifier: Apache-2.0
//
// Reads a whole file of the host, such as packaged data. Files of the storage directory are read by Store.

// Both imports, because the type timespec belongs to whichever module the compiler reads first.
internal import CSupport
internal import Glibc

/// Reads a regular file.
///
/// - Throws: `.storage` with the system's message; `.tooLarge` beyond `limit` bytes.
package func readFile(_ path: String, limit: Int) throws(RemoraError) -> [UInt8] {
  try WholeFile(path, limit: limit).bytes
}

/// The content of a regular file.
package struct WholeFile {
  package let bytes: [UInt8]
  /// The modification time, in milliseconds since 1970.
  package let modifiedMs: Int64

  /// Reads the file.
  ///
  /// - Throws: The errors of `readFile`.
  package init(_ path: String, limit: Int) throws(RemoraError) {
    // Without O_NONBLOCK, opening a FIFO waits for a writer.
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
