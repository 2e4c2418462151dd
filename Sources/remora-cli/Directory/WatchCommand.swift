// SPDX-License-Identifier: Apache-2.0
//
// `remora watch`: one line for each change in a storage directory, until Ctrl-C.

internal import Glibc
internal import Remora

let watchCommand = Command(
  name: "watch", operands: ["DIR"],
  summary: "Prints a line for each change in a program's storage directory, until Ctrl-C",
  options: [Option(name: "json", help: "print each change as a line of JSON")],
  run: { arguments throws(RemoraError) in
    var watched = try WatchedDirectory(arguments.operands[0], asJSON: arguments["json"] != nil)
    let end = EndSignals()
    report("watching \(counted(watched.count, "source")) of \(arguments.operands[0]); Ctrl-C ends it")
    while !end.wait(seconds: 1) { try watched.printChanges() }
  })

/// The signals that end the command, which are received by waiting for them.
private struct EndSignals {
  private var set = sigset_t()

  init() {
    sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for a signal; false if none arrived in time.
  func wait(seconds: Int) -> Bool {
    var (set, limit) = (set, timespec(tv_sec: seconds, tv_nsec: 0))
    return sigtimedwait(&set, nil, &limit) > 0
  }
}

/// A directory, and what was printed of it.
private struct WatchedDirectory {
  private let path: String
  private let asJSON: Bool
  private var known: [StorageName: StoredSource] = [:]

  var count: Int { known.count }

  init(_ path: String, asJSON: Bool) throws(RemoraError) {
    (self.path, self.asJSON) = (path, asJSON)
    for source in try StoredSources(path).all { known[source.name] = source }
  }

  /// Prints what has changed since the last call.
  mutating func printChanges() throws(RemoraError) {
    let present = try StoredSources(path).all
    for source in present {
      for change in try changes(of: source, since: known[source.name]) { try print(change, source) }
    }
    for (name, source) in known where !present.contains(where: { $0.name == name }) {
      try print(DirectoryChange("removed", "all its files were removed"), source)
    }
    known = Dictionary(uniqueKeysWithValues: present.map { ($0.name, $0) })
  }

  private func changes(
    of source: StoredSource, since before: StoredSource?
  ) throws(RemoraError) -> [DirectoryChange] {
    let (old, new) = (before?.state, source.state)
    var changes: [DirectoryChange] = []
    for (name, was, now) in [
      ("live", old?.image, new.image), ("staged", old?.staged, new.staged), ("rejected", old?.rejected, new.rejected),
    ] {
      guard was?.checksum != now?.checksum else { continue }
      let versions =
        "\(was.map { "\($0.metadata.version)" } ?? "none") → \(now.map { "\($0.metadata.version)" } ?? "none")"
      let counts = ChangeCounts(try source.identity.received(was), try source.identity.received(now))
      changes.append(DirectoryChange(name, "version \(versions), \(counts)"))
    }
    if before?.overrides ?? OverrideList() != source.overrides {
      changes.append(DirectoryChange("overrides", "now \(source.overrides.all.count)"))
    }
    let ledger = new.ledger
    if ledger.failures > old?.ledger.failures ?? 0 {
      changes.append(DirectoryChange("failed", "\(counted(Int(ledger.failures), "failure")) since the last success"))
    } else if changes.isEmpty, ledger.lastSuccessMs > old?.ledger.lastSuccessMs ?? 0 {
      changes.append(DirectoryChange("checked", "unchanged"))
    }
    for problem in source.problems where before?.problems.map(\.message).contains(problem.message) != true {
      changes.append(DirectoryChange("problem", problem.message))
    }
    return changes
  }

  private func print(_ change: DirectoryChange, _ source: StoredSource) throws(RemoraError) {
    let nowMs = SystemClock().nowMs
    guard asJSON else {
      return try printOut(
        "\(clockText(nowMs))  \(printable("\(source.identity.name)  \(change.what): \(change.text)"))\n")
    }
    var object = CanonicalObject()
    try object.set("change", string: change.what)
    try object.set("name", string: source.identity.name)
    try object.set("text", string: change.text)
    object.set("time_ms", nowMs)
    object.set("version", source.state.image?.metadata.version ?? 0)
    try printOut(String(decoding: try object.text, as: UTF8.self) + "\n")
  }
}

/// One change in a directory.
private struct DirectoryChange {
  let what: String
  let text: String

  init(_ what: String, _ text: String) { (self.what, self.text) = (what, text) }
}

/// Returns the time of day where the tool runs: "12:03:04".
private func clockText(_ instantMs: Int64) -> String {
  var time = time_t(instantMs / 1000)
  var parts = tm()
  guard localtime_r(&time, &parts) != nil else { return "" }
  return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
}
