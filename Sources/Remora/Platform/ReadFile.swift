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

package struct WholeFile {
  package let bytes: [UInt8]
  /// The modification time, in milliseconds since 1970.
  package let modifiedMs: Int64

  /// Reads the file.
  ///
  /// - Throws: The errors of `readFile`.
  package init(_ path: String, limit: Int) throws(RemoraError) {
    let file = try RegularFile(path)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(file.size, limit))
    try file.forEachBlock(of: 1 << 16, limit: limit) { bytes += $0 }
    self.bytes = bytes
    modifiedMs = file.modifiedMs
  }
}

/// A regular file that is open for reading.
package struct RegularFile: ~Copyable {
  /// The size when the file was opened, in bytes.
  package let size: Int
  /// The modification time, in milliseconds since 1970.
  package let modifiedMs: Int64
  private let path: String
  private let number: Int32

  /// Opens the file.
  ///
  /// - Throws: `.storage` with the system's message.
  package init(_ path: String) throws(RemoraError) {
    // Without O_NONBLOCK, opening a FIFO waits for a writer.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .storage("open", path, errno: errno) }
    var status = stat()
    let failure = fstat(file, &status) == 0 ? 0 : errno
    guard failure == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw failure == 0
        ? RemoraError(.storage, "\(path) is not a regular file") : .storage("examine", path, errno: failure)
    }
    size = Int(status.st_size)
    modifiedMs = Int64(status.st_mtim.tv_sec) &* 1000 &+ Int64(status.st_mtim.tv_nsec) / 1_000_000
    self.path = path
    number = file
  }

  deinit { close(number) }

  /// Calls `visit` with consecutive blocks from the beginning to the end. Only the last block may be shorter than
  /// `blockSize`. A block is valid until `visit` returns.
  ///
  /// - Throws: `.storage` with the system's message; `.tooLarge` beyond `limit` bytes.
  package borrowing func forEachBlock(
    of blockSize: Int, limit: Int, _ visit: (UnsafeRawBufferPointer) -> Void
  ) throws(RemoraError) {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 8)
    defer { block.deallocate() }
    var total = 0
    while true {
      let count = try fill(block)
      total &+= count
      guard total <= limit else { throw RemoraError(.tooLarge, "\(path) has more than \(limit) bytes") }
      if count > 0 { visit(UnsafeRawBufferPointer(rebasing: block[..<count])) }
      if count < block.count { return }
    }
  }

  /// Reads until a block is full or the file ends. Returns the number of bytes.
  private borrowing func fill(_ block: UnsafeMutableRawBufferPointer) throws(RemoraError) -> Int {
    var count = 0
    while count < block.count {
      let got = read(number, block.baseAddress.map { $0 + count }, block.count &- count)
      if got == 0 { break }
      if got > 0 {
        count &+= got
      } else if errno != EINTR {
        throw .storage("read", path, errno: errno)
      }
    }
    return count
  }
}
