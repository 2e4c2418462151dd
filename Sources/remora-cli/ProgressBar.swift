// SPDX-License-Identifier: Apache-2.0
//
// How far the attachments are, on one line of a terminal that is erased at the end. Without a terminal it is silent.

internal import Glibc
internal import Remora

/// A bar on standard error.
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

  /// So many bytes of the present item are there.
  func show(_ received: Int) {
    guard isShown else { return }
    let done = finishedBytes &+ received
    let filled = bytes > 0 ? Int(Double(Self.width) * min(1, Double(done) / Double(bytes))) : Self.width
    let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: Self.width - filled)
    let line = "\r[\(bar)] \(finishedItems) of \(items) attachments, \(done / 1000) of \(bytes / 1000) kB"
    if line != shown { write(line) }
    shown = line
  }

  /// The present item is done.
  func finish(itemBytes: Int) {
    finishedItems += 1
    finishedBytes &+= itemBytes
    show(0)
  }

  /// Leaves an empty line.
  func clear() {
    guard !shown.isEmpty else { return }
    write("\r\(String(repeating: " ", count: shown.count))\r")
  }

  private func write(_ text: String) { try? writeAll(Array(text.utf8), to: standardError, "standard error") }
}
