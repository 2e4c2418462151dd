// SPDX-License-Identifier: Apache-2.0
//
// `remora seed`: checks data from a source's server or from a file, and saves it where the source's first opening finds
// it. For installers of packages and system images.

internal import CRemora
internal import Glibc
internal import Remora

let seedCommand = Command(
  name: "seed", operands: ["STORAGE_DIR"],
  summary: "Fetches settings, a bundle or a collection, and saves a seed: data for a program's next start",
  options: seedSourceArguments + collectionArguments + trustArguments + [
    Option(name: "file", value: "FILE", help: "read FILE, send no request; for a collection, a file of remora dump"),
    Option(name: "identifier", value: "TEXT", help: "the installer's name, sent to a settings server; default: seed"),
    Option(name: "app-name", value: "NAME", help: "the application's name, sent to the server"),
    Option(name: "app-version", value: "VERSION", help: "the application's version, sent to the server"),
    Option(name: "app-build", value: "BUILD", help: "the application's build number, sent to the server"),
  ] + fetchArguments,
  run: seed)

private func seed(_ arguments: Arguments) throws(RemoraError) {
  let path = arguments.operands[0]
  guard path != REMORA_STORAGE_MEMORY else {
    throw .usage("STORAGE_DIR is REMORA_STORAGE_MEMORY (\(path)), but a seed must be stored in a directory")
  }
  let dialect = try seedDialect(arguments)
  let floor = Seeds.clockFloorMs(for: dialect, inDirectory: path)
  let seed = try seedImage(of: dialect, notBeforeMs: floor, arguments)
  for warning in seed.warnings { report("remora: \(warning)") }
  let signals = HeldSignals()
  defer { signals.release() }
  try Seeds().save(seed.accepted, in: StorageDirectory.open(path: path, mayBeAnothers: true))
  let image = seed.accepted.image
  let count = try SourceIdentity(image.metadata.identity)?.received(image).count ?? image.count
  report(
    "\(path) has a seed: \(counted(count, "key")) at version \(image.metadata.version),"
      + " fetched \(utcText(image.metadata.fetchedAtMs))")
}

/// Compiles the seed from the given file, or else from the server. Returns its image and the warnings.
private func seedImage(
  of dialect: any Dialect, notBeforeMs floor: Int64, _ arguments: Arguments
) throws(RemoraError) -> (accepted: AcceptedImage, warnings: [String]) {
  if let path = arguments["file"] {
    return try Seeds().compile(inFile: path, limit: PackagedData.maximumBytes, of: dialect, notBeforeMs: floor)
  }
  for name in ["app-name", "app-version", "app-build"] {
    if let text = arguments[name] { try validateHeaderValue(text, of: "--\(name)") }
  }
  let application = try Application(
    name: arguments["app-name"], version: arguments["app-version"], build: arguments["app-build"])
  let userAgent =
    application.name == nil ? "remora/\(REMORA_VERSION)" : application.userAgent
  return try Seeds().download(
    of: dialect, telling: application.seedItems(identifier: arguments["identifier"]),
    arguments.transportOptions(userAgent: userAgent, requestLimitMs: arguments.longestRequestMs),
    notBeforeMs: floor, timeoutMs: arguments.timeoutMs)
}
