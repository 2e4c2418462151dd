// SPDX-License-Identifier: Apache-2.0
//
// Bytes to where they are wanted: standard output, standard error, or a file that is replaced whole.

internal import Glibc
internal import Remora

let standardOutput: Int32 = 1
let standardError: Int32 = 2

/// Prints a result.
func printOut(_ text: String) throws(RemoraError) {
  try writeAll(Array(text.utf8), to: standardOutput, "standard output")
}

/// Tells what was done, or what is wrong, in one line that commands no terminal: names in it may come from anywhere.
/// Not a result, so not on standard output.
func report(_ text: String) {
  try? writeAll(Array("\(printable(text))\n".utf8), to: standardError, "standard error")
}

/// Takes the places of standard streams that are closed, so that no other file or connection gets their numbers. Nothing
/// can be written there: that is an error, as it is without this.
func closeGaps() {
  var file: Int32 = 0
  while file >= 0, file <= standardError { file = open("/dev/null", O_RDONLY) }
  if file > standardError { close(file) }
}

/// Ends the process.
func leave(_ status: Int32) -> Never { exit(status) }

/// Writes all bytes.
func writeAll(_ bytes: [UInt8], to file: Int32, _ name: String) throws(RemoraError) {
  try bytes.withBytes { bytes throws(RemoraError) in try writeAll(bytes, to: file, name) }
}

private func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32, _ name: String) throws(RemoraError) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if written < 0, errno == EINTR { continue }
    guard written > 0 else { throw .storage("write", name, errno: errno) }
    rest = rest.dropFirst(written)
  }
}

/// Replaces a file whole, so that it is never seen half; a link to a file is followed, if it may be. Signals that would
/// end the process wait until nothing is left behind.
func replaceFile(_ path: String, with bytes: [UInt8], followingLinks: Bool = true) throws(RemoraError) {
  try bytes.withBytes { bytes throws(RemoraError) in
    try replaceFile(path, with: bytes, followingLinks: followingLinks)
  }
}

/// The same for bytes that lie elsewhere.
func replaceFile(
  _ path: String, with bytes: UnsafeRawBufferPointer, followingLinks: Bool = true
) throws(RemoraError) {
  let signals = HeldSignals()
  defer { signals.release() }
  var status = stat()
  var isThere = lstat(path, &status) == 0
  if isThere, status.st_mode & S_IFMT == S_IFLNK {
    // A link that is not followed is replaced like nothing.
    isThere = followingLinks
    guard !followingLinks || stat(path, &status) == 0 else { throw .storage("follow", path, errno: errno) }
  }
  guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
    throw RemoraError(.storage, "\(path) is not a regular file; - is standard output")
  }
  let target = isThere ? realPath(path) : path
  let folder = splitPath(target).folder
  let temporary = "\(folder)/.remora-\(String(UInt64.random(in: .min ... .max), radix: 16)).tmp"
  let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isThere ? status.st_mode & 0o777 : 0o666)
  guard file >= 0 else { throw .storage("write", path, errno: errno) }
  do throws(RemoraError) {
    defer { close(file) }
    try writeAll(bytes, to: file, path)
    guard fsync(file) == 0 else { throw .storage("write", path, errno: errno) }
    guard rename(temporary, target) == 0 else { throw .storage("replace", path, errno: errno) }
  } catch {
    unlink(temporary)
    throw error
  }
  syncFolder(folder)
}

/// The folder of a path, and the name in it.
func splitPath(_ path: String) -> (folder: String, name: String) {
  guard let slash = path.lastIndex(of: "/") else { return (".", path) }
  return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
}

/// Whether two paths lead to the same file or folder.
func isSameFile(_ left: String, _ right: String) -> Bool {
  var (first, second) = (stat(), stat())
  guard stat(left, &first) == 0, stat(right, &second) == 0 else { return false }
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino
}

/// The path without links; as it is where it cannot be followed.
private func realPath(_ path: String) -> String {
  guard let resolved = realpath(path, nil) else { return path }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// Makes a new name last. A file system that cannot is no reason to fail: the file is there.
private func syncFolder(_ path: String) {
  let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard folder >= 0 else { return }
  fsync(folder)
  close(folder)
}

/// Holds back what Ctrl-C and its like send; on this thread, the only one that they can reach.
struct HeldSignals {
  private var before = sigset_t()

  init() {
    var held = sigset_t()
    sigemptyset(&held)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&held, signal) }
    pthread_sigmask(SIG_BLOCK, &held, &before)
  }

  /// Lets them come.
  func release() {
    var before = before
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
