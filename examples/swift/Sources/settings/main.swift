// SPDX-License-Identifier: Apache-2.0
//
// Reads remote settings in an application that keeps its values for a whole session:
//
//     settings URL STORAGE_DIR
//
// Opens the settings with parameters that describe the user and the application. Prints the live settings: those that
// an earlier run fetched, or the defaults of this program. Reads a setting of a tag, and waits for it at most two
// seconds. Then waits for the refresh that started at the open, activates its result and prints it. Exits with 0 even
// if the server cannot be reached.

import Foundation
import RemoraKit

guard CommandLine.arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: settings URL STORAGE_DIR\n".utf8))
  exit(2)
}

/// Prints each value. The default is used if the server does not send the value, or sends another type.
func printSettings(_ settings: SettingsSource) throws {
  let live = try settings.snapshot
  let ratio = String(format: "%.2f", live.double("ratio", default: 1))
  print(
    "settings origin=\(live.origin) limit=\(live.int("limit", default: 10))",
    "dark=\(live.bool("dark", default: false) ? 1 : 0) ratio=\(ratio)",
    "title=\(live.string("title", default: "Welcome"))",
    "help=\(live.url("help", default: "https://example.org/help"))")
}

let (url, storage) = (CommandLine.arguments[1], CommandLine.arguments[2])
let client = try Client(Client.Configuration(storageDirectory: storage, applicationName: "example"))
let settings = try client.settings(url, SettingsSource.Options(params: ["user": "u1", "version": "2.0"]))
try printSettings(settings)

// A tag has its own dictionary, whose new versions are live at once. This returns the fresh value if it arrives in
// time, else the previous one, else the default.
let brush = await settings.value("brush", tag: "editor", timeout: .seconds(2), default: 3)
print("editor brush=\(brush)")

do {
  // Opening started a refresh. This call joins it, or sends a request if it has completed. The first version ever is
  // live at once. Later ones are staged: they become live at `activate`, or else in the next run.
  try await settings.refresh(timeout: .seconds(10))
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
}
print("activate \(try await settings.activate())")
try printSettings(settings)
