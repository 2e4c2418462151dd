// SPDX-License-Identifier: Apache-2.0
//
// Writes bytes to standard output, to standard error, or to a file that is replaced atomically.

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

/// Ignores SIGXFSZ, which would end the process without removing its temporary file. A write beyond the limit of the
/// size of files is then an ordinary error.
func ignoreFileSizeSignal() { signal(SIGXFSZ, SIG_IGN) }

/// Exits the process with a status.
func leave(_ status: Int32) -> Never { exit(status) }

/// Writes all bytes to a file descriptor.
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

/// Replaces a file atomically, so that an incomplete file is never visible. Signals that would end the process are
/// blocked until no temporary file is left.
///
/// - Parameters:
///   - followingLinks: Whether the target of a symbolic link is replaced instead of the link.
///   - mode: The permissions of the file; nil keeps those of the old file.
///   - isNewer: Whether the modification time is at least a second after that of the old file, so that no web server
///     takes the files for the same.
func replaceFile(
  _ path: String, with bytes: [UInt8], followingLinks: Bool = true, mode: mode_t? = nil, isNewer: Bool = false
) throws(RemoraError) {
  try bytes.withBytes { bytes throws(RemoraError) in
    try replaceFile(path, with: bytes, followingLinks: followingLinks, mode: mode, isNewer: isNewer)
  }
}

/// Replaces a file with the bytes of a buffer, as the other `replaceFile` does.
func replaceFile(
  _ path: String, with bytes: UnsafeRawBufferPointer, followingLinks: Bool = true, mode: mode_t? = nil,
  isNewer: Bool = false
) throws(RemoraError) {
  let signals = HeldSignals()
  defer { signals.release() }
  var status = stat()
  var isThere = lstat(path, &status) == 0
  var target = path
  if isThere, status.st_mode & S_IFMT == S_IFLNK {
    // A link that is not followed is replaced as if there were no file.
    isThere = followingLinks
    if followingLinks {
      target = try realPath(path)
      guard stat(path, &status) == 0 else { throw .storage("follow", path, errno: errno) }
    }
  }
  guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
    throw RemoraError(.storage, "\(path) is not a regular file; use - for standard output")
  }
  let folder = splitPath(target).folder
  let temporary = "\(folder)/\(temporaryName())"
  let mode = mode ?? (isThere ? status.st_mode & 0o777 : 0o666)
  let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
  guard file >= 0 else { throw .storage("write", path, errno: errno) }
  do throws(RemoraError) {
    defer { close(file) }
    try writeAll(bytes, to: file, path)
    if isNewer, isThere { try setTime(of: file, path, after: status.st_mtim) }
    guard fsync(file) == 0 else { throw .storage("write", path, errno: errno) }
    guard rename(temporary, target) == 0 else { throw .storage("replace", path, errno: errno) }
  } catch {
    unlink(temporary)
    throw error
  }
  syncFolder(folder)
}

/// Sets the modification time of a new file to the present, but at least a second after that of the old file.
private func setTime(of file: Int32, _ path: String, after old: timespec) throws(RemoraError) {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  let isLater = (now.tv_sec, now.tv_nsec) > (old.tv_sec &+ 1, old.tv_nsec)
  let modified = isLater ? now : timespec(tv_sec: old.tv_sec &+ 1, tv_nsec: old.tv_nsec)
  guard futimens(file, [modified, modified]) == 0 else { throw .storage("set the time of", path, errno: errno) }
}

/// Returns a number with a noun: "1 record", "2 records".
func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// Returns lower-case hexadecimal digits.
func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// Splits a path into its folder and the name in the folder.
func splitPath(_ path: String) -> (folder: String, name: String) {
  guard let slash = path.lastIndex(of: "/") else { return (".", path) }
  return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
}

/// Returns whether two paths refer to the same file or folder.
func isSameFile(_ left: String, _ right: String) -> Bool {
  var (first, second) = (stat(), stat())
  guard stat(left, &first) == 0, stat(right, &second) == 0 else { return false }
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino
}

/// Returns the path with all symbolic links resolved.
private func realPath(_ path: String) throws(RemoraError) -> String {
  guard let resolved = realpath(path, nil) else { throw .storage("follow", path, errno: errno) }
  defer { free(resolved) }
  guard let text = String(validatingCString: resolved) else {
    throw RemoraError(.storage, "cannot follow \(path): the path of the file that it refers to is not valid UTF-8")
  }
  return text
}

/// Returns a new name for a file or folder that is renamed when it is complete.
func temporaryName() -> String { ".remora-\(String(UInt64.random(in: .min ... .max), radix: 16)).tmp" }

/// Makes a new name durable. Errors are ignored, because not every file system can do this, and the file exists.
func syncFolder(_ path: String) {
  let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard folder >= 0 else { return }
  fsync(folder)
  close(folder)
}

/// Blocks the signals that end the process, such as that of Ctrl-C, on this thread. No other thread receives them.
struct HeldSignals {
  private var before = sigset_t()

  init() {
    var held = sigset_t()
    sigemptyset(&held)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&held, signal) }
    pthread_sigmask(SIG_BLOCK, &held, &before)
  }

  /// Restores the signal mask, so that blocked signals are delivered.
  func release() {
    var before = before
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
