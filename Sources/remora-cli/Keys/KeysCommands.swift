// SPDX-License-Identifier: Apache-2.0
//
// `remora keys init`, `renew` and `show`: the keys with which `remora publish` signs.

internal import Remora

let keysInitCommand = Command(
  name: "keys init", operands: ["DIR"],
  summary: "Creates the keys of a publisher in a new folder, and prints the root's SHA-256 for clients",
  options: [
    Option(name: "signer", value: "NAME", help: "DNS name of the signer; default: the one that clients expect"),
    Option(name: "days", value: "DAYS", help: "validity of the signer's certificate; default 90"),
  ],
  run: { arguments throws(RemoraError) in
    let signer = try arguments["signer"].map(dnsName) ?? TrustPolicy.defaultSigner(bucket: "main")
    let path = withoutSlash(arguments.operands[0])
    let days = try arguments.days("days") ?? 90
    let root = try KeyFolder.create(path, signer: signer, days: days, nowMs: SystemClock().nowMs)
    report("\(path) has new keys: keep \(path)/root offline, and publish with \(path)/publisher")
    try printOut("\(root)\n")
  })

let keysRenewCommand = Command(
  name: "keys renew", operands: ["DIR"],
  summary: "Replaces the signer's key and certificate; the next publication signs with it",
  options: [
    Option(name: "days", value: "DAYS", help: "validity of the certificate; default: that of the present one"),
    Option(name: "root", value: "DIR", help: "the folder with root.key: also renews the intermediate certificate"),
  ],
  run: { arguments throws(RemoraError) in
    let folder = KeyFolder(withoutSlash(arguments.operands[0]))
    let end = try folder.renew(
      days: try arguments.days("days"), rootFolder: arguments["root"].map(withoutSlash), nowMs: SystemClock().nowMs)
    let limit =
      switch end.certificate {
      case .signer: ""
      case .intermediate: ", when the intermediate certificate expires, which --root renews"
      case .root: ", when the root certificate expires (\(CertificateEnd.Certificate.root.advice))"
      }
    let validity = "valid until \(utcText(end.untilMs))\(limit)"
    report("\(folder.signerFile) is renewed, and \(validity); publish again to sign with it")
  })

let keysShowCommand = Command(
  name: "keys show", operands: ["DIR_OR_URL"],
  summary: "Prints the certificates in a folder, or at the URL of a tree; exits with 1 if they expire soon",
  options: [warnDays] + treeArguments, run: show)

/// The option for the time before an expiry.
let warnDays = Option(name: "warn-days", value: "DAYS", help: "warn if a certificate expires within DAYS; default 30")

private func show(_ arguments: Arguments) throws(RemoraError) {
  let place = withoutSlash(arguments.operands[0])
  let warnDays = try arguments.days("warn-days") ?? 30
  let isURL = ParsedURL.isAbsolute(place)
  let file = KeyFolder(place).signerFile
  let chains = isURL ? try servedChains(place, arguments) : [try SignerChain(file: file)]
  let nowMs = SystemClock().nowMs
  var text = ""
  for chain in chains {
    text += "signer: \(printable(chain.signer))\nroot-sha256: \(chain.root)\n"
    for end in chain.ends {
      let left = end.untilMs > nowMs ? "\(counted(daysLeft(end.untilMs, nowMs: nowMs), "day")) left" : "expired"
      text += "\(end.name): valid until \(utcText(end.untilMs)), \(left)\n"
    }
  }
  try printOut(text)
  guard let first = chains.map(\.firstEnd).min(by: { $0.untilMs < $1.untilMs }),
    daysLeft(first.untilMs, nowMs: nowMs) < warnDays
  else { return }
  let advice = isURL ? first.certificate.servedAdvice : first.certificate.advice
  throw RemoraError(.notFound, "\(isURL ? place : file) \(expiry(first.untilMs, nowMs: nowMs)); \(advice)")
}

/// Returns the number of whole days until an instant; negative after it.
func daysLeft(_ untilMs: Int64, nowMs: Int64) -> Int64 { untilMs.addingClamped(-nowMs) / dayMs }

/// Returns when something expires: "expires in 3 days", or "is expired".
func expiry(_ untilMs: Int64, nowMs: Int64) -> String {
  untilMs > nowMs ? "expires in \(counted(daysLeft(untilMs, nowMs: nowMs), "day"))" : "is expired"
}

/// Checks the name of a signer, which becomes part of a certificate.
private func dnsName(_ text: String) throws(RemoraError) -> String {
  let labels = text.split(separator: ".", omittingEmptySubsequences: false)
  let isName = labels.allSatisfy { label in
    (1...63).contains(label.utf8.count) && label.utf8.first != 0x2D && label.utf8.last != 0x2D
      && label.unicodeScalars.allSatisfy {
        $0 == "-" || ($0.isASCII && $0.properties.isAlphabetic) || ("0"..."9").contains($0)
      }
  }
  guard isName, text.utf8.count <= 253 else { throw .usage("--signer must be a DNS name") }
  return text
}
