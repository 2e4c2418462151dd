// SPDX-License-Identifier: Apache-2.0
//
// A directory of a test's own, and the plain file operations that a test does behind the library's back.
// Removed with everything in it when the last reference goes.

import CTestSupport
import Glibc

/// A private directory that lives as long as this object.
final class TemporaryDirectory: Sendable {
  /// Its absolute path.
  let path: String

  init() throws {
    let root = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
    var template = Array("\(root)/remora-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw FileFailure(action: "mkdtemp", path: root, number: errno) }
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  deinit { test_remove_tree(path) }

  /// The path of a name inside.
  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The names inside, sorted.
  var names: [String] {
    guard let listing = opendir(path) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
      names.append(String(cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)))
    }
    return names.filter { $0 != "." && $0 != ".." }.sorted()
  }

  /// The mode of a file, or of the directory itself.
  func mode(_ name: String = ".") throws -> mode_t {
    var status = stat()
    guard stat(path(name), &status) == 0 else { throw FileFailure(action: "stat", path: path(name), number: errno) }
    return status.st_mode & 0o7777
  }

  /// Makes every live image under a name, or here, so old that it is kept as the previous one when it is replaced.
  func ageLive(in name: String = ".") {
    var times = utimbuf(actime: time_t(TestTime.now - 3600), modtime: time_t(TestTime.now - 3600))
    for file in globbed("\(name)/*.live") { utime(file, &times) }
  }

  /// Copies the files of one folder to another.
  func copyFiles(from source: String, to target: String) throws {
    for path in globbed("\(source)/*") {
      let name = path.split(separator: "/").last.map(String.init) ?? ""
      if let content = read("\(source)/\(name)") { try write("\(target)/\(name)", content) }
    }
  }

  private func globbed(_ pattern: String) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(path(pattern), 0, nil, &found) == 0 else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
  }

  /// Makes a directory.
  func makeDirectory(_ name: String, mode: mode_t = 0o755) throws {
    guard mkdir(path(name), mode) == 0 else { throw FileFailure(action: "mkdir", path: path(name), number: errno) }
  }

  /// Writes a file of the given mode, over one that is there.
  func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws {
    let file = creat(path(name), mode)
    guard file >= 0 else { throw FileFailure(action: "creat", path: path(name), number: errno) }
    defer { close(file) }
    _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    fchmod(file, mode)
  }

  /// All bytes of a file; nil when it cannot be read.
  func read(_ name: String) -> [UInt8]? {
    guard let file = fopen(path(name), "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var next = fgetc(file)
    while next != EOF {
      bytes.append(UInt8(truncatingIfNeeded: next))
      next = fgetc(file)
    }
    return bytes
  }
}

/// A file operation of a test that failed.
struct FileFailure: Error {
  let action: String
  let path: String
  let number: Int32
}
