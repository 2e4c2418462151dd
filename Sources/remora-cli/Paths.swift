// SPDX-License-Identifier: Apache-2.0
//
// Splits, resolves and compares paths, and lists the names in folders.

internal import Glibc
internal import Remora

/// Splits a path into its folder and the name in the folder.
func splitPath(_ path: String) -> (folder: String, name: String) {
  guard let slash = path.lastIndex(of: "/") else { return (".", path) }
  return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
}

/// Returns a path without slashes at its end.
func withoutSlash(_ path: String) -> String {
  var path = path
  while path.count > 1, path.hasSuffix("/") { path.removeLast() }
  return path
}

/// Returns the path with all symbolic links resolved.
func realPath(_ path: String) throws(RemoraError) -> String {
  guard let resolved = realpath(path, nil) else { throw .storage("follow", path, errno: errno) }
  defer { free(resolved) }
  guard let text = String(validatingCString: resolved) else {
    throw RemoraError(.storage, "cannot follow \(path): the path of the file that it refers to is not valid UTF-8")
  }
  return text
}

/// Returns whether two paths refer to the same file or folder.
func isSameFile(_ left: String, _ right: String) -> Bool {
  var (first, second) = (stat(), stat())
  guard stat(left, &first) == 0, stat(right, &second) == 0 else { return false }
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino
}

/// Whether the path is a folder.
func isFolder(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// Returns the names in a folder, sorted, without hidden ones.
///
/// - Throws: `.storage`; `.format` for a name that is not valid UTF-8.
func visibleNames(in path: String) throws(RemoraError) -> [String] {
  var names: [String] = []
  for bytes in try fileNames(in: path) where bytes.first != UInt8(ascii: ".") {
    guard let name = String(validating: bytes, as: UTF8.self) else {
      throw .format(path, "has a file whose name is not valid UTF-8")
    }
    names.append(name)
  }
  return names.sorted()
}

/// Returns the bytes of all names in a folder, also of `.` and `..`.
func fileNames(in path: String) throws(RemoraError) -> [[UInt8]] {
  guard let folder = opendir(path) else { throw .storage("open", path, errno: errno) }
  defer { closedir(folder) }
  var names: [[UInt8]] = []
  while let entry = readdir(folder) {
    names.append(withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
  }
  return names
}
