// SPDX-License-Identifier: Apache-2.0
//
// `remora dump`: fetches a collection from its server, and writes it to a file that a host packages. The collection is
// fetched and verified in memory before anything is written.

internal import CRemora
internal import Remora

let dumpCommand = Command(
  name: "dump", operands: ["COLLECTION"],
  summary: "Fetches a collection, verifies it, and writes it with its signature to a file to ship with a program",
  options: collectionArguments + trustArguments + fetchArguments + [
    Option(name: "output", value: "FILE", help: "the file to write or to replace; default -, standard output"),
    Option(name: "attachments", value: "DIR", help: "a folder for the attachments of all records; default none"),
  ],
  run: dump)

private func dump(_ arguments: Arguments) throws(RemoraError) {
  let collection = arguments.operands[0]
  let timeoutMs = try arguments.timeoutMs
  let deadline = timeoutMs.map { monotonicMs().addingClamped($0) }
  let client = try Client(clientOptions(arguments))
  defer { client.close() }
  let handle = try client.openCollection(arguments.collectionOptions(collection))
  let source = handle.source
  let result = source.refresh(timeoutMs: timeoutMs ?? -1)
  if let error = result.error { throw error }
  let text = PackagedText(
    snapshot: try source.acquire(isUnfiltered: true), bucket: arguments["bucket"] ?? client.options.bucket,
    collection: collection, signature: try signature(of: source, arguments))
  let output = try DumpFile(arguments["output"] ?? "-", for: text)
  // In this order, the file never names attachments that are not in the folder.
  let folder = try arguments["attachments"].map { path throws(RemoraError) in
    try AttachmentFolder(path, of: text.snapshot)
  }
  try folder?.requireApart(from: arguments["output"] ?? "-")
  let written = try folder?.fill(from: handle, in: text.snapshot, until: deadline)
  try output.write()
  guard let folder, let written else { return }
  let removed = try folder.removeOthers()
  report("\(folder.path) has \(counted(folder.items.count, "attachment")): \(written) written, \(removed) removed")
}

private func clientOptions(_ arguments: Arguments) throws(RemoraError) -> ClientOptions {
  var options = ClientOptions(storage: nil)
  options.transportOptions = try arguments.transportOptions(
    userAgent: "remora/\(REMORA_VERSION)", requestLimitMs: arguments.longestRequestMs)
  return options
}

/// Returns the signature with which the data was verified; nil with --no-verify.
private func signature(of source: Source, _ arguments: Arguments) throws(RemoraError) -> ContentSignature? {
  guard arguments["no-verify"] == nil else { return nil }
  guard let signature = try source.liveSignature() else {
    throw RemoraError(.internal, "the verified certificate chain is no longer available")
  }
  return signature
}

/// The output of a dump: a file or standard output.
private struct DumpFile {
  private let path: String
  private let bytes: [UInt8]
  private let text: PackagedText
  private let isThere: Bool

  /// Reads and checks an existing file, before anything is changed.
  init(_ path: String, for text: PackagedText) throws(RemoraError) {
    self.path = path
    self.text = text
    bytes = try text.bytes()
    let old = path == "-" ? nil : try? readFile(path, limit: PackagedData.maximumBytes)
    isThere = old == bytes
    if let old, !isThere { try requireNotNewer(old) }
  }

  /// Writes the dump, unless the file has these bytes already.
  func write() throws(RemoraError) {
    guard path != "-" else { return try writeAll(bytes, to: standardOutput, "standard output") }
    guard !isThere else { return report("\(path) is unchanged: \(text.description)") }
    try replaceFile(path, with: bytes)
    report("\(path) is written: \(text.description)")
  }

  /// Checks that the existing file is not newer. An outdated server, or a wrong one, would undo published changes. A
  /// file that is not packaged data is replaced.
  ///
  /// - Throws: `.future` if it is newer.
  private func requireNotNewer(_ old: [UInt8]) throws(RemoraError) {
    let known = try? old.withBytes { bytes throws(RemoraError) in
      try decodeCollection(bytes, .packaged, named: path).version
    }
    guard let known, known > text.version else { return }
    throw RemoraError(
      .future,
      "\(path) has the timestamp \(known), but the server has the older timestamp \(text.version);"
        + " remove the file to replace it")
  }
}
