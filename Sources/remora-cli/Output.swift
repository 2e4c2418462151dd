// SPDX-License-Identifier: Apache-2.0
//
// Writes text and bytes to the standard streams, or to another open file.

internal import Glibc
internal import Remora

let standardOutput: Int32 = 1
let standardError: Int32 = 2

/// Prints a result to standard output.
func printOut(_ text: String) throws(RemoraError) {
  try writeAll(Array(text.utf8), to: standardOutput, "standard output")
}

/// Reports an action or a failure in one line on standard error, because standard output is for results. Control
/// characters are escaped, because names in the line may be from any source.
func report(_ text: String) {
  try? writeAll(Array("\(printable(text))\n".utf8), to: standardError, "standard error")
}

/// Opens /dev/null in the place of closed standard streams, so that no other file or connection gets their numbers. The
/// streams are read-only, so that writing to them is an error, as it is to a closed stream.
func closeGaps() {
  var file: Int32 = 0
  while file >= 0, file <= standardError { file = open("/dev/null", O_RDONLY) }
  if file > standardError { close(file) }
}

/// Returns a number with a noun: "1 record", "2 records".
func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// Writes all bytes to a file descriptor.
func writeAll(_ bytes: [UInt8], to file: Int32, _ name: String) throws(RemoraError) {
  try bytes.withBytes { bytes throws(RemoraError) in try writeAll(bytes, to: file, name) }
}

/// Writes the bytes of a buffer to a file descriptor.
func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32, _ name: String) throws(RemoraError) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if written < 0, errno == EINTR { continue }
    guard written > 0 else { throw .storage("write", name, errno: errno) }
    rest = rest.dropFirst(written)
  }
}
