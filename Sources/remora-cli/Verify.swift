// SPDX-License-Identifier: Apache-2.0
//
// `remora verify`: whether the signature of packaged data holds now, by the chain in the file. Asks nobody.

internal import Remora

let verifyCommand = Command(
  name: "verify", operands: ["FILE", "[COLLECTION]"],
  summary: "Verifies the signature and chain of packaged data, without a request",
  options: collectionArguments, run: verify)

private func verify(_ arguments: Arguments) throws(RemoraError) {
  let path = arguments.operands[0]
  let wanted = arguments.operands.dropFirst().first
  let dialect = try arguments.collectionOptions(wanted ?? "any").dialect(server: "prod", bucket: "main")
  let bytes = try readFile(path, limit: PackagedData.maximumBytes)
  let packaged = try dialect.compile(bytes, named: path)
  if let wanted { try requireName(wanted, arguments["bucket"] ?? "main", of: bytes, path) }
  guard !packaged.signatures.isEmpty else {
    throw RemoraError(.signatureMissing, "\(path) has no signature with its chain")
  }
  try Libcrypto.load()
  let now = SystemClock().nowMs
  let verified: Verified
  do throws(RemoraError) {
    verified = try verifyPackaged(packaged, dialect, chains: ChainCache(), atMs: now)
    let limits = FreshnessLimits(floor: 0, rule: dialect.versions)
    _ = try limits.judge(verified, live: nil, nowMs: now)
  } catch {
    throw RemoraError(error.code, "\(path) does not hold: \(error.message)")
  }
  try printOut(
    "\(path) holds: \(verified.draft.entries.count) records at \(verified.draft.version),"
      + " signed until \(utcText(verified.validUntilMs))\n")
}

/// Whether the file is of the collection that is meant. Its name is not signed: this finds mistakes, not lies.
private func requireName(
  _ collection: String, _ bucket: String, of bytes: [UInt8], _ path: String
) throws(RemoraError) {
  let (foundBucket, foundName) = try bytes.withBytes { bytes throws(RemoraError) in try decodeName(bytes, path) }
  guard foundName ?? collection == collection, foundBucket ?? bucket == bucket else {
    throw RemoraError(
      .format, "\(path) is of \(foundBucket ?? bucket)/\(foundName ?? collection), not of \(bucket)/\(collection)")
  }
}

/// What packaged data says of the collection that it is of.
private func decodeName(
  _ bytes: UnsafeRawBufferPointer, _ path: String
) throws(RemoraError) -> (bucket: String?, collection: String?) {
  var cursor = try JSONCursor(bytes, name: path)
  var name: (bucket: String?, collection: String?)
  try cursor.object { (member, cursor) throws(RemoraError) in
    let value = try cursor.value()
    guard member == "metadata" else { return }
    name = value.read { ($0.member("bucket")?.string, $0.member("id")?.string) }
  }
  return name
}
