// SPDX-License-Identifier: Apache-2.0
//
// Reads one number of a record: quickstart SERVER_URL COLLECTION KEY POINTER (without signatures).

import Foundation
import RemoraKit

guard CommandLine.arguments.count == 5 else { exit(2) }
let (server, name) = (CommandLine.arguments[1], CommandLine.arguments[2])
let (key, pointer) = (CommandLine.arguments[3], CommandLine.arguments[4])

let client = try Client(Client.Configuration(storageDirectory: nil, server: server, applicationName: "quickstart"))
let settings = try client.collection(name, CollectionSource.Options(trust: .off))
do {
  try await settings.refresh(timeout: .seconds(5))
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
}
print("\(pointer) = \(settings.int(key, pointer, default: -1))")
