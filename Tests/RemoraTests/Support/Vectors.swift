// SPDX-License-Identifier: Apache-2.0
//
// Files of other projects and of real servers, in a folder that REMORA_VECTORS names.

import Glibc
import Testing

@testable import Remora

extension Trait where Self == ConditionTrait {
  /// For suites over the shared vectors.
  static var vectors: Self { .enabled(if: Vectors.folder != nil, "REMORA_VECTORS does not name the vectors' folder") }
}

/// The folder of the shared vectors.
enum Vectors {
  /// Its path, or nil when the variable is not set.
  static let folder = getenv("REMORA_VECTORS").map { String(cString: $0) }

  static func path(_ file: String) -> String { "\(folder ?? "")/\(file)" }

  /// All bytes of a file; nil when it cannot be read.
  static func bytes(_ file: String) -> [UInt8]? { try? readFile(path(file), limit: 64 << 20) }

  /// The text of a file, for tables that show nothing when it is missing.
  static func text(_ file: String) -> String { String(decoding: bytes(file) ?? [], as: UTF8.self) }

  /// The names in a folder, sorted; none without the variable.
  static func names(in subfolder: String) -> [String] {
    guard folder != nil, let directory = opendir(path(subfolder)) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { names.append(String(cString: $0)) }
      }
    }
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }
}
