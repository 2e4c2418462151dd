// SPDX-License-Identifier: Apache-2.0
//
// The sources of a storage directory, and the one that an argument names.

internal import Remora

struct StoredSources {
  let path: String
  let files: [StoredFile]
  /// Sorted by their names.
  let all: [StoredSource]
  /// The names of files whose source is unknown, because no image of it can be read.
  let unknown: [StorageName]

  /// Reads a storage directory.
  ///
  /// - Throws: `.storage`, `.permission`.
  init(_ path: String) throws(RemoraError) {
    let storage = try StorageDirectory.openForReading(path: path)
    let files = storage.storedFiles()
    (self.path, self.files) = (path, files)
    var names: [StorageName] = []
    for file in files {
      guard let name = file.sourceName, !names.contains(name) else { continue }
      names.append(name)
    }
    let found = names.sorted { $0.hex < $1.hex }.map { ($0, StoredSource($0, in: storage, files)) }
    all = found.compactMap(\.1).sorted { ($0.identity.name, $0.name.hex) < ($1.identity.name, $1.name.hex) }
    unknown = found.filter { $0.1 == nil }.map(\.0)
  }

  /// Returns the source with a name: that of `remora list`, the name of a collection, or the beginning of the names of
  /// its files.
  ///
  /// - Throws: `.notFound`; `.invalidArgument` if several have it.
  func source(_ wanted: String) throws(RemoraError) -> StoredSource {
    // Compared by bytes: text compares equal if it looks the same.
    let exact = all.filter {
      $0.identity.name.utf8.elementsEqual(wanted.utf8) || $0.identity.collection?.name == wanted
    }
    let found = exact.isEmpty && wanted.utf8.count >= 4 ? all.filter { $0.name.hex.hasPrefix(wanted) } : exact
    guard let first = found.first else {
      let names = all.map(\.identity.name).joined(separator: ", ")
      throw RemoraError(.notFound, "\(path) has no source \(wanted)\(names.isEmpty ? "" : "; it has \(names)")")
    }
    guard found.count == 1 else {
      let files = found.map(\.name.hex).joined(separator: ", ")
      throw .usage("\(found.count) sources have the name \(wanted); use the beginning of one of their files: \(files)")
    }
    return first
  }
}

extension StoredFile {
  /// The source that a file belongs to; nil for other files.
  var sourceName: StorageName? {
    switch self {
    case .image(let name, _), .ledger(let name), .overrides(let name), .seed(let name), .packaged(let name, _): name
    case .serverLedger, .temporary, .attachment, .part, .lock, .hashSeed: nil
    }
  }
}
