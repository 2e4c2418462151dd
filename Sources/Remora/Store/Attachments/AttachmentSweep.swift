// SPDX-License-Identifier: Apache-2.0
//
// What keeps attachments from filling the disk: parts that nobody continues, and attachments that nobody names.
// Invariant: nothing goes while somebody holds its lock, and nothing that was opened within the time.

extension DirectorySweep {
  /// How long a part waits to be continued, and an attachment to be named or opened: 24 hours.
  package static var forgottenMs: Int64 { dayMs }

  /// Removes parts and attachments that were not touched for 24 hours. Never fails: what cannot be removed stays.
  ///
  /// - Parameters:
  ///   - keeping: Tells which attachments are still named, at most once, and only when one is old enough; nil keeps all.
  ///   - nowMs: The wall clock.
  /// - Returns: How many files were removed.
  @discardableResult
  package func runAttachments(keeping: () -> Set<AttachmentName>?, nowMs: Int64) -> Int {
    guard directory.number != nil else { return 0 }
    var removed = 0
    var candidates: [AttachmentName] = []
    for file in directory.storedFiles() {
      switch file {
      case .part(let name): removed += removeForgotten(file, of: name, nowMs)
      case .attachment(let name): if isForgotten(file, nowMs) { candidates.append(name) }
      default: break
      }
    }
    guard !candidates.isEmpty else { return removed }
    guard let kept = keeping() else { return removed }
    for name in candidates where !kept.contains(name) { removed += removeForgotten(.attachment(name), of: name, nowMs) }
    return removed
  }

  private func isForgotten(_ file: StoredFile, _ nowMs: Int64) -> Bool {
    isOlder([file], than: Self.forgottenMs, nowMs)
  }

  private func removeForgotten(_ file: StoredFile, of name: AttachmentName, _ nowMs: Int64) -> Int {
    guard isForgotten(file, nowMs), let lock = try? directory.tryLock(name.storageName) else { return 0 }
    defer { lock.unlock() }
    // Somebody may have used it before the lock was ours.
    return isForgotten(file, nowMs) ? remove(file) : 0
  }
}
