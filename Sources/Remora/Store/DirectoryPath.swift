// SPDX-License-Identifier: Apache-2.0
//
// The path of a storage directory: made absolute, and created with its parents.

internal import Glibc

/// Returns the absolute path; nil if the working directory is unknown.
func makeAbsolute(_ path: String) -> String? {
  guard path.utf8.first != UInt8(ascii: "/") else { return path }
  guard let current = getcwd(nil, 0) else { return nil }
  defer { free(current) }
  return "\(String(cString: current))/\(path)"
}

/// Creates a directory and its missing parents. Returns 0 or a negative errno.
func makeDirectories(_ path: String, _ calls: SystemCalls) -> Int32 {
  var made = uninterrupted { calls.directories.make(path) }
  if made == -ENOENT {
    let trimmed = path.utf8.reversed().drop { $0 == UInt8(ascii: "/") }
    let parent = trimmed.drop { $0 != UInt8(ascii: "/") }.drop { $0 == UInt8(ascii: "/") }.reversed()
    if parent.isEmpty { return made }
    let parentMade = makeDirectories(String(decoding: Array(parent), as: UTF8.self), calls)
    if parentMade < 0 { return parentMade }
    made = uninterrupted { calls.directories.make(path) }
  }
  // Another process created it, or it is not a directory; opening it will show which.
  return made == -EEXIST ? 0 : made
}
