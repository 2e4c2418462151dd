// SPDX-License-Identifier: Apache-2.0
//
// `remora check`: what clients would refuse in a published tree, and what they would not notice, for a monitoring
// system.

internal import Remora

let checkCommand = Command(
  name: "check", operands: ["TREE_OR_URL"],
  summary: "Checks a published tree, in a folder or at a URL, as clients verify it",
  options: [
    Option(name: "root-sha256", value: "HEX", help: "SHA-256 of the root certificate, 64 digits; required"),
    Option(name: "signer", value: "NAME", help: "DNS name in the signer's certificate; default: the bucket's"),
    warnDays,
    schemaArgument,
    Option(name: "json", help: "print the result as JSON"),
  ] + treeArguments,
  run: check)

private func check(_ arguments: Arguments) throws(RemoraError) {
  let root = try RootPin(hex: arguments.required("root-sha256"), as: "root_sha256")
  let warnDays = try arguments.days("warn-days") ?? 30
  let place = withoutSlash(arguments.operands[0])
  let (tree, site) = (
    Tree(place), ParsedURL.isAbsolute(place) ? try Site(place, bypassingCaches: false, arguments) : nil
  )
  guard site != nil || isFolder(tree.name(of: "")) else { throw RemoraError(.storage, "\(place) has no folder v2") }
  try Libcrypto.load()
  let nowMs = SystemClock().nowMs
  var check = TreeCheck(
    site ?? tree, root: root, signer: arguments["signer"], try GivenSchemas(arguments), nowMs: nowMs)
  check.run()
  let days = daysLeft(check.signedUntilMs, nowMs: nowMs)
  if days < warnDays {
    let advice = (check.firstEnd?.certificate ?? .signer).servedAdvice
    check.warn("the certificate chain expires in \(counted(days, "day")); \(advice)")
  }
  if let site {
    try check.comparePlaces(with: site.server)
    warnOfCaches(site, &check, nowMs: nowMs)
  } else {
    try warnOfFiles(tree, &check)
  }
  try printOut(arguments["json"] == nil ? lines(of: check) : json(of: check))
  leave(check.findings.status)
}

/// The time for which caches may keep a document that changes, in seconds.
private let longestLifetime: Int64 = 3600

/// Warns of caches that delay changes, and of a wrong clock.
private func warnOfCaches(_ site: Site, _ check: inout TreeCheck, nowMs: Int64) {
  for (path, headers) in site.headers.sorted(by: { $0.key < $1.key }) where path.hasSuffix("/changeset") {
    if let lifetime = headers.cacheControlMaxAge, lifetime > longestLifetime {
      check.warn("\(site.name(of: path)): caches may keep it for \(lifetime) s; use a max-age of at most an hour")
    }
    if let age = headers.age, age > longestLifetime {
      check.warn("\(site.name(of: path)): a cache has kept it for \(age) s")
    }
  }
  if let dateMs = site.headers[TreePath.monitor]?.dateMs, abs(dateMs - nowMs) > 300_000 {
    check.warn("the clock of the server differs by \(abs(dateMs - nowMs) / 1000) s from the clock of this machine")
  }
}

/// Warns of what only the files show.
private func warnOfFiles(_ tree: Tree, _ check: inout TreeCheck) throws(RemoraError) {
  for path in try tree.leftOvers() { check.warn("\(path): left behind by a killed publisher; the next one removes it") }
  let limit = TransportOptions().maxBodyBytes
  if try tree.read("index.html", limit: limit) != tree.read("index.json", limit: limit) {
    check.warn("\(tree.name(of: "index.html")): differs from index.json")
  }
}

private func summary(of check: TreeCheck) -> String {
  "\(counted(check.collectionCount, "collection")), \(counted(check.recordCount, "record")), "
    + counted(check.attachments.count, "attachment")
    + (check.signedUntilMs == .max ? "" : ", signed until \(utcText(check.signedUntilMs))")
}

private func lines(of check: TreeCheck) -> String { "\(check.findings.lines)\(summary(of: check))\n" }

private func json(of check: TreeCheck) throws(RemoraError) -> String {
  var object = CanonicalObject()
  object.set("attachments", Int64(check.attachments.count))
  object.set("collections", Int64(check.collectionCount))
  object.set("findings", array: try check.findings.json)
  object.set("records", Int64(check.recordCount))
  object.set("signed_until_ms", check.signedUntilMs == .max ? 0 : check.signedUntilMs)
  return String(decoding: try object.text, as: UTF8.self) + "\n"
}
