// SPDX-License-Identifier: Apache-2.0
//
// `remora verify`: verifies the signature of packaged data at the present time, with the chain in the file. Sends no
// request.

internal import Remora

let verifyCommand = Command(
  name: "verify", operands: ["FILE", "[COLLECTION]"],
  summary: "Verifies the signature and certificate chain of a file of remora dump, without a request",
  options: collectionArguments, run: verify)

private func verify(_ arguments: Arguments) throws(RemoraError) {
  let path = arguments.operands[0]
  let wanted = arguments.operands.dropFirst().first
  let dialect = try arguments.collectionOptions(wanted ?? "any").dialect(server: "prod", bucket: "main")
  let bytes = try readFile(path, limit: PackagedData.maximumBytes)
  let packaged = try dialect.compile(bytes, named: path, hashSeed: .random(), isOfAny: wanted == nil)
  guard !packaged.signatures.isEmpty else {
    throw RemoraError(.signatureMissing, "\(path) has no signature with a certificate chain")
  }
  try Libcrypto.load()
  let now = SystemClock().nowMs
  let verified: Verified
  do throws(RemoraError) {
    verified = try verifyPackaged(packaged, dialect, chains: ChainCache(), atMs: now)
    let limits = VersionLimits(floor: 0, rule: dialect.versions)
    try limits.requireNotFuture(verified, nowMs: now)
  } catch {
    throw RemoraError(error.code, "\(path) is not valid: \(error.message)")
  }
  try printOut(
    "\(path) is valid: \(counted(verified.draft.entries.count, "record")) at version \(verified.draft.version),"
      + " signed until \(utcText(verified.validUntilMs))\n")
}
