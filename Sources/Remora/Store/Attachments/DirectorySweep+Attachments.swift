// SPDX-License-Identifier: Apache-2.0
//
// Removes unused attachments: abandoned parts, and attachments that no record refers to.
// Invariant: no file is removed while its lock is held, nor within 24 hours after it was last opened.

extension DirectorySweep {
  /// The time after which an untouched part, or an attachment that no record refers to, is removed: 24 hours.
  package static var forgottenMs: Int64 { dayMs }

  /// Removes parts and attachments that were not touched for 24 hours. Never fails: files that cannot be removed stay.
  ///
  /// - Parameters:
  ///   - keeping: Returns the attachments that records still refer to, or nil to keep all. Called at most once, and
  ///     only if some attachment is old enough.
  ///   - nowMs: The wall clock.
  /// - Returns: The number of removed files.
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
    // The file may have been used before the lock was taken.
    return isForgotten(file, nowMs) ? remove(file) : 0
  }
}
