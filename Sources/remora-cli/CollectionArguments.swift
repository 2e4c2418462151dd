// SPDX-License-Identifier: Apache-2.0
//
// The options that identify a collection and set its trust policy, for all commands.

internal import Remora

/// The options that identify a collection, and the root and signer that are trusted.
let collectionArguments = [
  Option(name: "server", value: "SERVER", help: "prod, stage, dev or a URL; default prod"),
  Option(name: "bucket", value: "BUCKET", help: "name of the bucket; default main"),
  Option(name: "root-sha256", value: "HEX", help: "SHA-256 of the root certificate, 64 digits; default: the server's"),
  Option(name: "signer", value: "NAME", help: "DNS name in the signer's certificate; default: the bucket's"),
]

let trustedHostArgument = Option(
  name: "trusted-host", value: "HOST", help: "additional host for certificate chains; may be repeated")

/// The further trust options, for commands that fetch.
let trustArguments = [
  trustedHostArgument,
  Option(name: "no-verify", help: "do not verify; a dump then has no signature; for servers that do not sign"),
]

extension Arguments {
  /// Returns the library's options for a collection.
  func collectionOptions(_ collection: String) -> CollectionOptions {
    var options = CollectionOptions()
    options.collection = collection
    options.server = self["server"]
    options.bucket = self["bucket"]
    options.rootSHA256 = self["root-sha256"]
    options.signer = self["signer"]
    options.trustedHosts = all("trusted-host")
    options.requiresSignature = self["no-verify"] == nil
    return options
  }
}
