// SPDX-License-Identifier: Apache-2.0
//
// Reads one setting by its key: quickstart SERVER_URL COLLECTION KEY (without signatures).

import Foundation
import RemoraKit

guard CommandLine.arguments.count == 4 else { exit(2) }
let (server, name, key) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])

let client = try Client(Client.Configuration(storageDirectory: nil, server: server, applicationName: "quickstart"))
let settings = try client.collection(name, CollectionSource.Options(trust: .off))
do {
  try await settings.refresh(timeout: .seconds(5))
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
}
print("last_modified = \(settings.int(key, "/last_modified", default: -1))")
