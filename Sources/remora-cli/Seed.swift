// SPDX-License-Identifier: Apache-2.0
//
// `remora seed`: what a package or an image brings along, checked and put where the first opening finds it. From the
// source's server, or from a file.

internal import CRemora
internal import Glibc
internal import Remora

let seedCommand = Command(
  name: "seed", operands: ["STORAGE_DIR"],
  summary: "Fetches settings, a bundle or a collection, and saves it for the next opening of that source",
  options: seedSourceArguments + collectionArguments + trustArguments + [
    Option(name: "file", value: "FILE", help: "what was downloaded already, of a collection a dump; sends nothing"),
    Option(name: "identifier", value: "TEXT", help: "the name of the installer for a server of settings; default seed"),
    Option(name: "app-name", value: "NAME", help: "the application, for the server"),
    Option(name: "app-version", value: "VERSION", help: "its version"),
    Option(name: "app-build", value: "BUILD", help: "its build number"),
  ] + transportArguments,
  run: seed)

private func seed(_ arguments: Arguments) throws(RemoraError) {
  let path = arguments.operands[0]
  let dialect = try seedDialect(arguments)
  let seed = try seedImage(of: dialect, arguments)
  for warning in seed.warnings { report("remora: \(warning)") }
  let signals = HeldSignals()
  defer { signals.release() }
  try StorageDirectory.open(path: path, mayBeAnothers: true).saveSeed(seed.accepted)
  let image = seed.accepted.image
  let count = image.count
  report(
    "\(path) has a seed: \(count) \(count == 1 ? "key" : "keys") at \(image.metadata.version),"
      + " fetched \(utcText(image.metadata.fetchedAtMs))")
}

/// The seed, from a file or from the server.
private func seedImage(
  of dialect: any Dialect, _ arguments: Arguments
) throws(RemoraError) -> (accepted: AcceptedImage, warnings: [String]) {
  if let path = arguments["file"] {
    return try Runtime.shared.compileSeed(inFile: path, limit: PackagedData.maximumBytes, of: dialect)
  }
  let application = Application(
    name: arguments["app-name"], version: arguments["app-version"], build: arguments["app-build"])
  let userAgent =
    application.name == nil ? "remora/\(REMORA_VERSION)" : application.userAgent(library: REMORA_VERSION)
  let timeoutMs = try arguments.timeoutMs
  return try Runtime.shared.downloadSeed(
    of: dialect, telling: application.seedItems(identifier: arguments["identifier"]),
    arguments.transportOptions(userAgent: userAgent, timeoutMs: timeoutMs), timeoutMs: timeoutMs)
}
