// SPDX-License-Identifier: Apache-2.0
//
// Uses the remote configuration of a tracker:
//
//     bundle URL STORAGE_DIR
//
// Opens a bundle with a default, and prints the state and the namespaces where a Snowplow tracker calls onSuccess. Then
// refreshes the bundle, and sets a user id that a refresh does not overwrite. Exits with 0 even if the server cannot be
// reached: the default or the cached bundle is used then.

import Foundation
import RemoraKit

guard CommandLine.arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: bundle URL STORAGE_DIR\n".utf8))
  exit(2)
}

let defaultBundle: JSONValue = [
  [
    "namespace": "app",
    "networkConfiguration": ["endpoint": "https://collector.example", "method": "post"],
    "trackerConfiguration": ["appId": "example", "sessionContext": true],
    "subjectConfiguration": ["userId": "nobody"],
  ]
]

/// Configures the tracker of each namespace. Called first with the default or the cached bundle, and then with each
/// newer one.
@Sendable func onSuccess(_ namespaces: [String], _ state: Origin, _ bundle: Snapshot) {
  for namespace in namespaces {
    let endpoint = bundle.string(namespace, "/networkConfiguration/endpoint", default: "none")
    print("\(state) \(namespace) endpoint=\(endpoint)")
  }
}

let client = try Client(
  Client.Configuration(storageDirectory: CommandLine.arguments[2], applicationName: "example"))
let bundle = try client.bundle(
  CommandLine.arguments[1],
  BundleSource.Options(method: .get, defaultBundle: defaultBundle, defaultVersion: 1) { event in
    guard let configuration = event.configuration else { return }
    onSuccess(configuration.namespaces, configuration.state, event.new)
  })

do {
  try await bundle.refresh(timeout: .seconds(10))
  // If the server has removed the namespace, this throws .notFound: do not track then.
  try await bundle.setOverride("app", "/subjectConfiguration/userId", to: "me", ifExists: true)
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
}
print("userId=\(bundle.string("app", "/subjectConfiguration/userId", default: "none"))")
