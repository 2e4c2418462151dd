// SPDX-License-Identifier: Apache-2.0
//
// Shows the progress of attachments on one line of a terminal, which is erased at the end. Prints nothing if standard
// error is not a terminal.

internal import Glibc
internal import Remora

/// A progress bar on standard error.
final class ProgressBar {
  private static let width = 30

  private let isShown = isatty(standardError) == 1
  private let items: Int
  private let bytes: Int
  private var finishedItems = 0
  private var finishedBytes = 0
  private var shown = ""

  init(items: Int, bytes: Int) {
    self.items = items
    self.bytes = bytes
  }

  /// Shows the number of bytes that were received of the current item.
  func show(_ received: Int) {
    guard isShown else { return }
    let done = finishedBytes &+ received
    let filled = bytes > 0 ? Int(Double(Self.width) * min(1, Double(done) / Double(bytes))) : Self.width
    let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: Self.width - filled)
    let line = "\r[\(bar)] \(finishedItems) of \(counted(items, "attachment")), \(done / 1000) of \(bytes / 1000) kB"
    if line != shown { write(line) }
    shown = line
  }

  /// Counts the current item as finished.
  func finish(itemBytes: Int) {
    finishedItems += 1
    finishedBytes &+= itemBytes
    show(0)
  }

  /// Erases the line.
  func clear() {
    guard !shown.isEmpty else { return }
    write("\r\(String(repeating: " ", count: shown.count))\r")
  }

  private func write(_ text: String) { try? writeAll(Array(text.utf8), to: standardError, "standard error") }
}
