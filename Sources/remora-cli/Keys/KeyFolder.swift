// SPDX-License-Identifier: Apache-2.0
//
// The folder of `remora keys`. The root's key is in a folder of its own, because neither publishing nor renewing needs
// it. The signer's key and chain are in one file, so that they are replaced together.

internal import Glibc
internal import Remora

/// The keys of a publisher.
struct KeyFolder {
  /// The folder with all that publishing needs.
  let publisher: String

  /// Finds the publisher's folder: the folder itself, or `publisher` in the folder that `remora keys init` created.
  init(_ path: String) {
    publisher = access("\(path)/publisher", F_OK) == 0 ? "\(path)/publisher" : path
  }

  /// The file with the signer's key and its certificate chain.
  var signerFile: String { "\(publisher)/signer.pem" }
  /// The file with the key that certifies signers.
  private var intermediateFile: String { "\(publisher)/intermediate.key" }

  /// Replaces the signer's key and certificate.
  ///
  /// - Parameters:
  ///   - days: The validity; nil means that of the present certificate.
  ///   - rootFolder: The folder with the root's key, which issues a new certificate for the intermediate key; nil to
  ///     keep the present one.
  /// - Returns: The end of the certificate of the new chain that expires first.
  /// - Throws: Also if the present certificates cannot issue a valid chain; the file is unchanged then.
  func renew(days: Int64?, rootFolder: String?, nowMs: Int64) throws(RemoraError) -> CertificateEnd {
    let old = try SignerChain(file: signerFile)
    let intermediate = try PrivateKey(file: intermediateFile)
    var issuers = Array(old.certificates.dropFirst())
    if let rootFolder, let root = issuers.last {
      let rootKey = try PrivateKey(file: "\(rootFolder)/root.key")
      issuers = [try rootKey.issue(.intermediate(nowMs: nowMs), for: intermediate, by: root), root]
    }
    let renewed = try SignerFile(
      signer: old.signer, days: days ?? old.days, by: intermediate, below: issuers.flatMap { $0 }, nowMs: nowMs)
    try renewed.requireValid(signerFile, root: old.root, nowMs: nowMs)
    try replaceFile(signerFile, with: renewed.text, mode: 0o600)
    return try SignerChain(renewed.text, signerFile).firstEnd
  }

  /// Creates the keys in a new folder. The folder appears under its name when it is complete.
  ///
  /// - Returns: The pin of the root.
  /// - Throws: `.storage` if the folder exists and is not empty; nothing is changed then.
  static func create(_ path: String, signer: String, days: Int64, nowMs: Int64) throws(RemoraError) -> RootPin {
    try requireNew(path)
    let made = try NewKeys(signer: signer, days: days, nowMs: nowMs)
    let signals = HeldSignals()
    defer { signals.release() }
    let parent = splitPath(path).folder
    let temporary = "\(parent)/\(temporaryName())"
    try makeFolder(temporary, path)
    do throws(RemoraError) {
      for folder in ["root", "publisher"] { try makeFolder("\(temporary)/\(folder)", path) }
      for file in made.files {
        try replaceFile("\(temporary)/\(file.name)", with: file.bytes, mode: file.isSecret ? 0o600 : 0o644)
      }
      guard rename(temporary, path) == 0 else { throw .storage("create", path, errno: errno) }
    } catch {
      for file in made.files { unlink("\(temporary)/\(file.name)") }
      for folder in ["/root", "/publisher", ""] { rmdir("\(temporary)\(folder)") }
      throw error
    }
    syncFolder(parent)
    return made.root
  }

  /// Checks that no file is in the place of new keys.
  private static func requireNew(_ path: String) throws(RemoraError) {
    guard access(KeyFolder(path).signerFile, F_OK) != 0 else {
      throw RemoraError(
        .storage,
        "\(path) has keys already, and nothing was changed; remora keys show prints them, and remora keys renew"
          + " replaces the signer's")
    }
    guard isFolder(path), try fileNames(in: path).count > 2 else { return }
    throw RemoraError(.storage, "\(path) is a folder that is not empty, and nothing was changed; use a new folder")
  }

  private static func makeFolder(_ path: String, _ name: String) throws(RemoraError) {
    guard mkdir(path, 0o700) == 0 else { throw .storage("create", name, errno: errno) }
  }
}

/// The keys and certificates of a new publisher.
private struct NewKeys {
  let root: RootPin
  let files: [(name: String, bytes: [UInt8], isSecret: Bool)]

  init(signer: String, days: Int64, nowMs: Int64) throws(RemoraError) {
    // A certificate that begins now would be refused by every clock that is a little behind.
    let fromMs = nowMs - dayMs
    let (rootKey, intermediateKey) = (try PrivateKey(), try PrivateKey())
    let rootPEM = try rootKey.issue(
      .init(commonName: "Remora root", pathLength: 1, validity: fromMs..<nowMs + 20 * 365 * dayMs), for: rootKey,
      by: nil)
    let intermediatePEM = try rootKey.issue(.intermediate(nowMs: nowMs), for: intermediateKey, by: rootPEM)
    let signerFile = try SignerFile(
      signer: signer, days: days, by: intermediateKey, below: intermediatePEM + rootPEM, nowMs: nowMs)
    root = try SignerChain(signerFile.text, "the new chain").root
    try signerFile.requireValid("the new chain", root: root, nowMs: nowMs)
    files = [
      ("root/root.key", try rootKey.pem(), true), ("root/root.pem", rootPEM, false),
      ("publisher/intermediate.key", try intermediateKey.pem(), true), ("publisher/signer.pem", signerFile.text, true),
      ("root.sha256", Array("\(root)\n".utf8), false),
    ]
  }
}

extension PrivateKey.Content {
  /// The certificate of the key that certifies signers, which is valid for five years.
  fileprivate static func intermediate(nowMs: Int64) -> Self {
    .init(commonName: "Remora intermediate", pathLength: 0, validity: nowMs - dayMs..<nowMs + 5 * 365 * dayMs)
  }
}

/// The content of a new `signer.pem`.
private struct SignerFile {
  let signer: String
  /// The key, and then the chain from leaf to root.
  let text: [UInt8]

  /// Issues the certificate of a new key.
  ///
  /// - Parameter issuers: The certificates from the intermediate to the root.
  init(
    signer: String, days: Int64, by intermediate: PrivateKey, below issuers: [UInt8], nowMs: Int64
  ) throws(RemoraError) {
    self.signer = signer
    let key = try PrivateKey()
    let leaf = try intermediate.issue(
      .init(commonName: "Remora signer", dnsName: signer, validity: nowMs - dayMs..<nowMs + days * dayMs), for: key,
      by: issuers)
    text = try key.pem() + leaf + issuers
  }

  /// - Throws: The errors of a client that is offered this chain.
  func requireValid(_ name: String, root: RootPin, nowMs: Int64) throws(RemoraError) {
    do throws(RemoraError) {
      _ = try verifyChain(pem: text, root: root, signer: signer, atMs: nowMs)
    } catch {
      throw error.prefixed(by: "\(name) cannot be renewed: ")
    }
  }
}
