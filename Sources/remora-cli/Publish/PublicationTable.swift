// SPDX-License-Identifier: Apache-2.0
//
// The result of a publication: a row for each collection, or JSON for programs.

internal import Remora

/// The table of a publication's changes.
struct PublicationTable {
  private let publication: Publication
  private let tree: String
  private let isDry: Bool
  private let signedUntilMs: Int64

  init(_ publication: Publication, tree: String, isDry: Bool, signedUntilMs: Int64) {
    (self.publication, self.tree, self.isDry, self.signedUntilMs) = (publication, tree, isDry, signedUntilMs)
  }

  /// Prints the table to standard output.
  func print(asJSON: Bool) throws(RemoraError) {
    guard !asJSON else { return try printOut(String(decoding: json, as: UTF8.self) + "\n") }
    let width = publication.collections.map { "\($0.name)".count }.max() ?? 0
    var text = ""
    for change in publication.collections {
      let name = "\(change.name)"
      text += name + String(repeating: " ", count: width - name.count)
      text += "  \(times(of: change))  \(words(for: change))  (\(count(of: change)))\n"
    }
    try printOut(text)
    report("\(tree) \(isDry ? "would be" : "is") signed until \(utcText(signedUntilMs))")
  }

  private func times(of change: CollectionChange) -> String {
    guard let before = change.before else { return "new → \(change.after)" }
    return before == change.after ? "\(before)" : "\(before) → \(change.after)"
  }

  private func words(for change: CollectionChange) -> String {
    let counts = [("+\(change.added)", 32), ("~\(change.changed)", 33), ("-\(change.removed)", 31)]
      .map { colored($0.0, $0.1) }.joined(separator: " ")
    return switch change.kind {
    case .created, .changed: counts
    case .repaired: "\(counts) repaired, because \(reason(for: change.fault))"
    case .unchanged: "unchanged"
    case .renewed: "unchanged, signed again"
    case .kept: "kept, because it is not in FOLDER"
    case .removed: colored("removed", 31)
    }
  }

  private func reason(for fault: CollectionChange.Fault?) -> String {
    switch fault {
    case .outdated: "the monitor lists a later version"
    case .edited: "its file was edited"
    case .notSigned, nil: "its signature was not valid"
    }
  }

  private func count(of change: CollectionChange) -> String {
    let count = change.kind == .removed ? change.removed : change.records.count
    return counted(count, "record")
  }

  private var json: [UInt8] {
    get throws(RemoraError) {
      var rows: [[UInt8]] = []
      for change in publication.collections { rows.append(try row(change)) }
      var object = CanonicalObject()
      object.set("collections", array: rows)
      object.set("dry_run", isDry)
      object.set("signed_until_ms", signedUntilMs)
      try object.set("tree", string: tree)
      return try object.text
    }
  }

  private func row(_ change: CollectionChange) throws(RemoraError) -> [UInt8] {
    var row = CanonicalObject()
    try row.set("name", string: "\(change.name)")
    try row.set("change", string: change.kind.rawValue)
    row.set("before", Array((change.before.map { "\($0)" } ?? "null").utf8))
    row.set("after", change.after)
    row.set("added", Int64(change.added))
    row.set("changed", Int64(change.changed))
    row.set("removed", Int64(change.removed))
    row.set("records", Int64(change.records.count))
    return try row.text
  }
}
