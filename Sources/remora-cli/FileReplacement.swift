// SPDX-License-Identifier: Apache-2.0
//
// Replaces files atomically, and keeps signals from leaving the temporary files of a replacement behind.

internal import Glibc
internal import Remora

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

/// Returns a new name for a file or folder that is renamed when it is complete.
func temporaryName() -> String { ".remora-\(String(UInt64.random(in: .min ... .max), radix: 16)).tmp" }

/// Returns the names of the tool's temporary files in a folder; empty if it does not exist.
func temporaryNames(in path: String) -> [String] {
  ((try? fileNames(in: path)) ?? []).map { String(decoding: $0, as: UTF8.self) }
    .filter { $0.hasPrefix(".remora-") && $0.hasSuffix(".tmp") }
}

/// Makes a new name durable. Errors are ignored, because not every file system can do this, and the file exists.
func syncFolder(_ path: String) {
  let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard folder >= 0 else { return }
  fsync(folder)
  close(folder)
}

/// Ignores SIGXFSZ, which would end the process without removing its temporary file. A write beyond the limit of the
/// size of files is then an ordinary error.
func ignoreFileSizeSignal() { signal(SIGXFSZ, SIG_IGN) }

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
