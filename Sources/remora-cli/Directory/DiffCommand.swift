// SPDX-License-Identifier: Apache-2.0
//
// `remora diff`: what the staged data, the last change, rejected data or the server's present data changes.

internal import CRemora
internal import Remora

let diffCommand = Command(
  name: "diff", operands: ["DIR", "SOURCE"],
  summary: "Prints what staged data will change, else what the last change was; or compares with a server",
  options: [
    Option(name: "server", value: "URL", help: "compare with what this server has now; for a document, its URL"),
    Option(name: "previous", help: "compare the previous live data with the live data"),
    Option(name: "rejected", help: "compare the live data with what the program has rejected"),
    trustedHostArgument,
    Option(name: "keys-only", help: "print keys, no values"),
    Option(name: "json", help: "print one JSON object for each change"),
  ] + fetchArguments,
  run: { arguments throws(RemoraError) in
    try requireOneComparison(arguments)
    let source = try StoredSources(arguments.operands[0]).source(arguments.operands[1])
    let pair = try ComparedVersions(source, arguments)
    try printOut(try pair.text(hasValues: arguments["keys-only"] == nil, asJSON: arguments["json"] != nil))
    report("\(source.identity.name): \(pair.summary)")
  })

/// Checks that the arguments select at most one comparison, and no option of another one.
private func requireOneComparison(_ arguments: Arguments) throws(RemoraError) {
  let given = ["server", "previous", "rejected"].filter { arguments[$0] != nil }
  guard given.count > 1 else {
    if arguments["trusted-host"] != nil, given != ["server"] { throw .usage("--trusted-host needs --server") }
    return
  }
  throw .usage("--\(given[0]) and --\(given[1]) exclude each other; use one of them")
}

/// Two versions of a source, without filters and overrides: what the server said.
private struct ComparedVersions {
  private let before: Snapshot
  private let after: Snapshot
  private let words: String

  init(_ source: StoredSource, _ arguments: Arguments) throws(RemoraError) {
    let name = source.identity.name
    if arguments["trusted-host"] != nil, source.identity.kind != .collection {
      throw .usage("--trusted-host is only for a collection, not for \(name)")
    }
    var (old, new) = (source.state.image, Image?.none)
    if let server = arguments["server"] {
      new = try fetch(source.identity, server, arguments)
      // Not a URL if it is the preset of a collection's server, such as "prod".
      words = "live and \((try? ParsedURL(server, as: "--server"))?.logText ?? server)"
    } else if arguments["rejected"] != nil {
      guard let rejected = source.state.rejected else { throw RemoraError(.notFound, "\(name) has no rejected data") }
      (new, words) = (rejected, "live and rejected")
    } else if let staged = source.state.staged, arguments["previous"] == nil {
      (new, words) = (staged, "live and staged")
    } else if let previous = source.previous {
      (old, new, words) = (previous, source.state.image, "previous and live")
    } else {
      let missing = arguments["previous"] == nil ? "neither staged nor previous data" : "no previous data"
      throw RemoraError(.notFound, "\(name) has \(missing); use --server")
    }
    (before, after) = (try source.identity.received(old), try source.identity.received(new))
  }

  var summary: String {
    let versions = "\(before.base.metadata.version) → \(after.base.metadata.version)"
    return "\(words): version \(versions), \(ChangeCounts(before, after))"
  }

  func text(hasValues: Bool, asJSON: Bool) throws(RemoraError) -> String {
    var lines: [Result<String, RemoraError>] = []
    diff(before.reader.pointee, after.reader.pointee) { change in
      lines.append(line(of: change, hasValues: hasValues, asJSON: asJSON))
      return true
    }
    var text = ""
    for line in lines { text += try line.get() + "\n" }
    return withExtendedLifetime((before, after)) { text }
  }

  private func line(of change: Change, hasValues: Bool, asJSON: Bool) -> Result<String, RemoraError> {
    do throws(RemoraError) {
      let old = hasValues ? try change.old.map(text) : nil
      let new = hasValues ? try change.new.map(text) : nil
      guard asJSON else { return .success(screen(change, old, new)) }
      var object = CanonicalObject()
      try object.set("key", string: Array(change.key))
      try object.set("change", string: "\(change.kind.word)")
      object.set("old", old)
      object.set("new", new)
      return .success(String(decoding: try object.text, as: UTF8.self))
    } catch {
      return .failure(error)
    }
  }

  private func text(_ value: Value) throws(RemoraError) -> [UInt8] { try value.withCanonicalText { Array($0) } }

  private func screen(_ change: Change, _ old: [UInt8]?, _ new: [UInt8]?) -> String {
    let key = printable(String(decoding: change.key, as: UTF8.self))
    let (mark, color) =
      switch change.kind {
      case .created: ("+", 32)
      case .updated: ("~", 33)
      case .deleted: ("-", 31)
      }
    var lines = [colored("\(mark) \(key)", color)]
    for case (let sign, let text?) in [("  - ", old), ("  + ", new)] {
      lines.append(sign + printable(String(decoding: text, as: UTF8.self)))
    }
    return lines.joined(separator: "\n")
  }
}

/// Fetches and verifies the present data of a source's server, and stores nothing.
private func fetch(
  _ identity: SourceIdentity, _ server: String, _ arguments: Arguments
) throws(RemoraError) -> Image {
  var (collection, settings, bundle): (CollectionOptions?, SettingsOptions?, BundleOptions?) = (nil, nil, nil)
  switch identity.kind {
  case .collection:
    var options = CollectionOptions()
    (options.bucket, options.collection, options.server) = (
      identity.collection?.bucket, identity.collection?.name ?? "", server
    )
    (options.rootSHA256, options.signer) = (identity.trust?.root, identity.trust?.signer)
    options.requiresSignature = identity.trust != nil
    options.trustedHosts = arguments.all("trusted-host")
    collection = options
  case .settings:
    settings = SettingsOptions()
    settings?.url = server
    settings?.parameters = []
    settings?.rootKey = identity.rootKey
  case .bundle:
    bundle = BundleOptions()
    bundle?.url = server
    bundle?.method = identity.method
    if let schema = identity.schema { bundle?.acceptedSchema = schema }
  }
  let dialect = try SeedSource(
    settings: settings, bundle: bundle, collection: collection, of: ClientOptions(storage: nil)
  ).dialect
  let options = try arguments.transportOptions(
    userAgent: "remora/\(REMORA_VERSION)", requestLimitMs: arguments.longestRequestMs)
  return try Seeds().download(
    of: dialect, telling: [], options, notBeforeMs: 0, timeoutMs: arguments.timeoutMs
  ).accepted.image
}

/// The numbers of changes between two versions.
struct ChangeCounts: CustomStringConvertible {
  private(set) var created = 0
  private(set) var updated = 0
  private(set) var deleted = 0

  init(_ before: Snapshot, _ after: Snapshot) {
    var counts = (created: 0, updated: 0, deleted: 0)
    diff(before.reader.pointee, after.reader.pointee) { change in
      switch change.kind {
      case .created: counts.created += 1
      case .updated: counts.updated += 1
      case .deleted: counts.deleted += 1
      }
      return true
    }
    withExtendedLifetime((before, after)) { (created, updated, deleted) = counts }
  }

  var description: String { "+\(created) ~\(updated) -\(deleted)" }
}
