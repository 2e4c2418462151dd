// SPDX-License-Identifier: Apache-2.0
//
// Saves settings for the first launch of a program, as an installer does:
//
//     seed URL STORAGE_DIR
//
// Downloads the settings of a program to a temporary file, and saves the file as a seed in the program's storage
// directory. The program then has the settings at its first launch, without a network. Exits with 1 after an error: an
// older seed stays then.

import Foundation
import FoundationNetworking
import RemoraKit

guard CommandLine.arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: seed URL STORAGE_DIR\n".utf8))
  exit(2)
}

// The same URL, options and configuration as in the program.
let configuration = Client.Configuration(
  storageDirectory: CommandLine.arguments[2], applicationName: "host", applicationVersion: "2.0",
  applicationBuild: "7")
let seed = Seed.settings(CommandLine.arguments[1])

do {
  let request = try seed.request(configuration, identifier: "installer")
  guard let url = URL(string: request.url) else { throw URLError(.badURL) }
  var download = URLRequest(url: url)
  download.httpMethod = request.method
  for header in request.headers {
    let parts = header.split(separator: ":", maxSplits: 1)
    download.addValue(parts[1].trimmingCharacters(in: .whitespaces), forHTTPHeaderField: String(parts[0]))
  }
  let (content, response) = try await URLSession.shared.data(for: download)
  guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
  let file = FileManager.default.temporaryDirectory.appendingPathComponent("seed-\(getpid()).json")
  try content.write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  try await seed.save(file.path, configuration)
  print("saved \(content.count) bytes")
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
