// SPDX-License-Identifier: Apache-2.0
//
// Reads a published tree in Swift; see Tests/Stories/published.py for the commands and answers.

import Glibc
import RemoraKit

guard CommandLine.arguments.count == 5 else { exit(2) }
let (server, root) = (CommandLine.arguments[1], CommandLine.arguments[2])
let (caFile, storage) = (CommandLine.arguments[3], CommandLine.arguments[4])

let client = try Client(
  Client.Configuration(storageDirectory: storage, server: server, caFile: caFile.isEmpty ? nil : caFile))
try await client.setContext(["app_version": "2.0"])
let limits = try client.collection("limits", CollectionSource.Options(rootSHA256: root))
let files = try client.collection("files", CollectionSource.Options(rootSHA256: root))

/// Executes a command, and returns the answer.
func answer(_ command: String) async throws -> String {
  switch command {
  case "refresh":
    try await limits.refresh(timeout: .seconds(30))
    let (snapshot, others) = (try limits.snapshot, try files.snapshot)
    let perDay = snapshot.int("uploads", "/per_day", default: -1)
    let counts = #""limits": \#(snapshot.count), "files": \#(others.count)"#
    return #"{"per_day": \#(perDay), \#(counts), "verified": \#(snapshot.isVerified)}"#
  case "sync":
    let report = try await client.sync(timeout: .seconds(30))
    return #"{"updated": \#(report.updated), "unchanged": \#(report.unchanged), "failed": \#(report.failed)}"#
  case "attachment":
    let attachment = try await files.attachment(of: "logo", timeout: .seconds(30))
    return #"{"content": "\#(String(decoding: attachment.bytes, as: UTF8.self))"}"#
  default: exit(2)
  }
}

while let command = readLine() {
  do {
    print(try await answer(command))
  } catch let error as RemoraError {
    print(#"{"error": "\#(error.code)"}"#)
  }
  fflush(nil)
}
limits.close()
files.close()
client.close()
