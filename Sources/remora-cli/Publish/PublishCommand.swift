// SPDX-License-Identifier: Apache-2.0
//
// `remora publish`: makes a folder of JSON files a signed tree, which any web server serves to clients.

internal import CRemora
internal import Remora

let publishCommand = Command(
  name: "publish", operands: ["FOLDER"],
  summary: "Publishes a folder of JSON files as a tree of signed collections for any web server",
  options: [
    Option(name: "to", value: "TREE", help: "the folder of the tree; required"),
    Option(name: "base-url", value: "URL", help: "the URL at which the tree is served, as clients use it; required"),
    Option(name: "keys", value: "DIR", help: "the folder \"publisher\" of remora keys init; required"),
    Option(name: "dry-run", help: "print what would change, and write nothing"),
    Option(name: "from", value: "URL", help: "read the published tree from this URL instead of TREE"),
    Option(name: "remove", value: "NAME", help: "remove the collection BUCKET/COLLECTION; may be repeated"),
    schemaArgument,
    Option(name: "allow-floats", help: "publish numbers that are not integers, which not all clients verify"),
    Option(name: "no-wait", help: "fail if another publisher has locked the tree, instead of waiting"),
    Option(name: "json", help: "print the result as JSON"),
  ] + treeArguments,
  run: publish)

private func publish(_ arguments: Arguments) throws(RemoraError) {
  let path = withoutSlash(arguments.operands[0])
  let tree = Tree(withoutSlash(try arguments.required("to")))
  let server = try baseServer(arguments.required("base-url"))
  let keys = withoutSlash(try arguments.required("keys"))
  try Libcrypto.load()
  for folder in [tree.path, "\(tree.path)/v2"] where isSameFile(path, folder) {
    throw .usage("--to \(tree.path) is the folder that is published; use another one")
  }
  let schemas = try GivenSchemas(arguments)
  let folder = try SourceFolder(path, allowsFloats: arguments["allow-floats"] != nil)
  try schemas.require(folder)
  let nowMs = SystemClock().nowMs
  let signer = try Signer(folder: keys, nowMs: nowMs)
  let isDry = arguments["dry-run"] != nil
  let lock = isDry ? nil : try tree.lock(waits: arguments["no-wait"] == nil)
  try requireSameBase(tree, server)
  let publisher = Publisher(signer: signer, server: server, nowMs: SystemClock().nowMs)
  let published: any TreeReader =
    try arguments["from"].map { url throws(RemoraError) in try Site(url, bypassingCaches: true, arguments) } ?? tree
  let publication = try Publication(folder, over: published, removing: arguments.all("remove"), by: publisher)
  if !isDry { try publication.write(to: tree, over: published, by: publisher) }
  lock?.release()
  let table = PublicationTable(publication, tree: tree.path, isDry: isDry, signedUntilMs: signer.validUntilMs)
  try table.print(asJSON: arguments["json"] != nil)
  warn(of: publication, signer, nowMs: nowMs)
  warn(of: schemas)
}

/// Returns the server of a tree that is served at a URL.
private func baseServer(_ text: String) throws(RemoraError) -> CollectionServer {
  let url = try ParsedURL(text, as: "--base-url")
  guard url.query == nil else { throw .usage("--base-url has a query") }
  try requireSecure(url, "--base-url")
  let server = try CollectionServer(text)
  guard server.version == .v2 else { throw .usage("--base-url ends with /v1, but a tree has the protocol of /v2") }
  return server
}

/// Checks that clients find the tree's files where the tree says they are.
private func requireSameBase(_ tree: Tree, _ server: CollectionServer) throws(RemoraError) {
  let expected = "\(server.base)/\(TreePath.attachments)/"
  guard let base = try? tree.attachmentBase(), base != expected else { return }
  throw .usage(
    "--base-url is \(server.base), but \(tree.path) is published at \(base.dropLast("/attachments/".count));"
      + " use another --to, with --from to keep its timestamps")
}

private func warn(of schemas: GivenSchemas) {
  for keyword in schemas.unknownKeywords {
    report("remora: the keyword \(printable(keyword)) of a schema is not known, and has no effect")
  }
}

private func warn(of publication: Publication, _ signer: Signer, nowMs: Int64) {
  if daysLeft(signer.validUntilMs, nowMs: nowMs) < 30 {
    let expiry = expiry(signer.validUntilMs, nowMs: nowMs)
    report("remora: the certificate chain \(expiry); \(signer.chain.firstEnd.certificate.advice)")
  }
  for change in publication.collections where change.kind == .removed {
    report(
      "remora: programs that have \(change.name) open keep its last records, and their refreshes fail with status 404;"
        + " publish an empty collection to retire it")
  }
}
