// SPDX-License-Identifier: Apache-2.0
//
// The options that identify the source of a seed, the same as those with which a host opens the source.

internal import Remora

/// The options that select the source, and the options of settings and bundles.
let seedSourceArguments = [
  Option(name: "settings", value: "URL", help: "save a seed of the settings at this URL"),
  Option(name: "bundle", value: "URL", help: "save a seed of the bundle at this URL"),
  Option(name: "collection", value: "NAME", help: "save a seed of this collection; one of these three is required"),
  Option(
    name: "param", value: "NAME=VALUE", help: "a settings request parameter; may be repeated; use the program's order"
  ),
  Option(name: "root-key", value: "KEY", help: "the member of the settings document that contains the settings"),
  Option(name: "tag", value: "TAG", help: "the name of an additional settings dictionary"),
  Option(name: "tag-item", value: "ITEM", help: "the query item that contains the tag; default: tag"),
  Option(name: "name", value: "NAME", help: "the name of a bundle"),
  Option(name: "schema", value: "PREFIX", help: "the accepted schema of a bundle"),
  Option(name: "post", help: "request a bundle with POST"),
]

/// The options of each kind of source. An option of another kind is an error.
private let kinds = [
  "settings": ["param", "root-key", "tag", "tag-item"],
  "bundle": ["name", "schema", "post"],
  "collection": (collectionArguments + trustArguments).map { "\($0.name)" },
]

/// Returns the dialect of the one source that the arguments name.
func seedDialect(_ arguments: Arguments) throws(RemoraError) -> any Dialect {
  let given = kinds.keys.filter { arguments[$0] != nil }
  guard given.count == 1 else { throw .usage("seed needs exactly one of --settings, --bundle and --collection") }
  for (kind, names) in kinds where !given.contains(kind) {
    if let name = names.first(where: { arguments[$0] != nil }) { throw .usage("--\(name) needs --\(kind)") }
  }
  return try SeedSource(
    settings: arguments["settings"].map { url throws(RemoraError) in try settingsOptions(url, arguments) },
    bundle: arguments["bundle"].map { url throws(RemoraError) in try bundleOptions(url, arguments) },
    collection: arguments["collection"].map { arguments.collectionOptions($0) },
    of: ClientOptions(storage: nil)
  ).dialect
}

private func settingsOptions(_ url: String, _ arguments: Arguments) throws(RemoraError) -> SettingsOptions {
  var options = SettingsOptions()
  options.url = try checked(url, "--settings")
  options.parameters = []
  for text in arguments.all("param") { options.parameters.append(try parameter(text)) }
  options.rootKey = arguments["root-key"]
  options.tag = arguments["tag"]
  if let item = arguments["tag-item"] { options.tagItem = item }
  return options
}

private func bundleOptions(_ url: String, _ arguments: Arguments) throws(RemoraError) -> BundleOptions {
  var options = BundleOptions()
  options.url = try checked(url, "--bundle")
  options.name = arguments["name"] ?? ""
  options.method = arguments["post"] == nil ? .get : .post
  if let schema = arguments["schema"] { options.acceptedSchema = schema }
  return options
}

/// Returns a URL. The library checks it too, but names the option `url`.
///
/// - Throws: `.invalidArgument` naming the option.
private func checked(_ url: String, _ option: String) throws(RemoraError) -> String {
  _ = try ParsedURL(url, as: option)
  return url
}

private func parameter(_ text: String) throws(RemoraError) -> (name: String, value: String) {
  let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
  guard parts.count == 2, !parts[0].isEmpty else { throw .usage("--param must be NAME=VALUE") }
  return (parts[0], parts[1])
}
