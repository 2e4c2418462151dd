// SPDX-License-Identifier: Apache-2.0
//
// `remora list`: what a storage directory has, and since when.

internal import Remora

let listCommand = Command(
  name: "list", operands: ["DIR"],
  summary: "Lists the sources of a program's storage directory: versions, ages, problems; changes nothing",
  options: [Option(name: "json", help: "print the list as JSON")],
  run: { arguments throws(RemoraError) in
    let sources = try StoredSources(arguments.operands[0])
    let list = DirectoryList(sources, nowMs: SystemClock().nowMs)
    try printOut(arguments["json"] == nil ? list.screen : list.json + "\n")
  })

/// A list of the sources of a directory.
private struct DirectoryList {
  private let sources: StoredSources
  private let nowMs: Int64
  private var attachments = (count: 0, parts: 0)

  init(_ sources: StoredSources, nowMs: Int64) {
    (self.sources, self.nowMs) = (sources, nowMs)
    for file in sources.files {
      if case .attachment = file { attachments.count += 1 }
      if case .part = file { attachments.parts += 1 }
    }
  }

  /// The list for people, in lines of at most 80 columns unless a name is longer.
  var screen: String {
    get throws(RemoraError) {
      var lines: [String] = []
      for source in sources.all { lines += try rows(of: source) }
      for name in sources.unknown {
        lines.append("\(name.hex): files of an unknown source; none can be read by this version of Remora")
      }
      if attachments.count + attachments.parts > 0 {
        let parts = attachments.parts == 0 ? "" : ", \(attachments.parts) not complete"
        lines.append("\(counted(attachments.count, "attachment"))\(parts)")
      }
      if lines.isEmpty { lines.append("\(printable(sources.path)) has no source") }
      return lines.map { "\($0)\n" }.joined()
    }
  }

  private func rows(of source: StoredSource) throws(RemoraError) -> [String] {
    let (identity, state) = (source.identity, source.state)
    var lines = [bold(printable(identity.name))]
    lines[0] += "  \(identity.kind.word)\(identity.collection == nil ? "" : " of \(printable(identity.server ?? ""))")"
    let images =
      [
        ("live", state.image), ("staged", state.staged), ("previous", source.previous),
        ("rejected", state.rejected), ("seed", source.seed),
      ]
      + source.packaged.map { ("packaged", $0) }
    for case (let name, let image?) in images { lines.append(row(name, try facts(of: image, source.identity))) }
    if state.image == nil { lines.append(row("live", "none")) }
    if !source.overrides.all.isEmpty { lines.append(row("overrides", "\(source.overrides.all.count)")) }
    lines.append(row("checked", checks(of: state.ledger)))
    let pause = source.backoff.leftMs(nowMs: nowMs)
    if pause > 0 { lines.append(row("paused", "by the server, for \(durationText(seconds: UInt64(pause / 1000)))")) }
    lines.append(row("file", "\(source.name.hex).live"))
    for problem in source.problems { lines.append(row("problem", printable(problem.message))) }
    return lines
  }

  private func row(_ name: String, _ text: String) -> String {
    "  \(name)\(String(repeating: " ", count: 11 - name.count))\(text)"
  }

  private func facts(of image: Image, _ identity: SourceIdentity) throws(RemoraError) -> String {
    let metadata = image.metadata
    let age =
      metadata.isPackaged ? "shipped with the program" : "fetched \(relativeText(metadata.fetchedAtMs, nowMs: nowMs))"
    let keys = counted(try identity.received(image).count, "key")
    return "version \(metadata.version), \(keys), \(age)\(metadata.isVerified ? ", verified" : "")"
  }

  private func checks(of ledger: SourceLedger) -> String {
    guard ledger.lastAttemptMs > 0 else { return "never" }
    let success = ledger.lastSuccessMs > 0 ? relativeText(ledger.lastSuccessMs, nowMs: nowMs) : "never with success"
    guard ledger.failures > 0 else { return success }
    let attempt = relativeText(ledger.lastAttemptMs, nowMs: nowMs)
    return "\(success); then \(counted(Int(ledger.failures), "failure")), the last one \(attempt)"
  }

  // MARK: JSON

  var json: String {
    get throws(RemoraError) {
      var rows: [[UInt8]] = []
      for source in sources.all { rows.append(try row(of: source)) }
      var object = CanonicalObject()
      object.set("attachments", Int64(attachments.count))
      object.set("incomplete_attachments", Int64(attachments.parts))
      object.set("sources", array: rows)
      object.set("unknown_sources", Int64(sources.unknown.count))
      return String(decoding: try object.text, as: UTF8.self)
    }
  }

  private func row(of source: StoredSource) throws(RemoraError) -> [UInt8] {
    let (identity, ledger) = (source.identity, source.state.ledger)
    var row = CanonicalObject()
    try row.set("kind", string: "\(identity.kind.word)")
    try row.set("name", string: identity.name)
    try row.set("file", string: "\(source.name.hex).live")
    if let server = identity.server { try row.set("server", string: server) }
    for (name, image) in [
      ("live", source.state.image), ("staged", source.state.staged), ("previous", source.previous),
      ("rejected", source.state.rejected), ("seed", source.seed),
    ] {
      let text = try image.map { image throws(RemoraError) in try facts(asJSON: image, identity) }
      row.set(name, text ?? CanonicalObject.null)
    }
    row.set("overrides", Int64(source.overrides.all.count))
    row.set("last_success_ms", ledger.lastSuccessMs)
    row.set("last_attempt_ms", ledger.lastAttemptMs)
    row.set("failures", Int64(ledger.failures))
    row.set("retry_after_ms", source.backoff.leftMs(nowMs: nowMs))
    var problems: [[UInt8]] = []
    for problem in source.problems {
      problems.append(try CanonicalObject.text(of: Array(problem.message.utf8)))
    }
    row.set("problems", array: problems)
    return try row.text
  }

  private func facts(asJSON image: Image, _ identity: SourceIdentity) throws(RemoraError) -> [UInt8] {
    var object = CanonicalObject()
    object.set("bytes", Int64(image.buffer.bytes.count))
    object.set("fetched_at_ms", image.metadata.fetchedAtMs)
    object.set("keys", Int64(try identity.received(image).count))
    object.set("verified", image.metadata.isVerified)
    object.set("version", image.metadata.version)
    return try object.text
  }
}
