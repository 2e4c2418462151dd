// SPDX-License-Identifier: Apache-2.0
//
// The descriptor of a storage directory. If the host has closed it, the directory is opened again by its path.
// Invariant: every number that is returned is that of the same directory; a number that the host has closed is neither
// used nor closed, because another file may have it. Safe from any thread.

internal import Synchronization

/// An open directory, closed with the last reference.
final class OpenDirectory: Sendable {
  private let identity: FileIdentity
  /// The absolute path; nil if it is unknown.
  let path: String?
  private let calls: SystemCalls
  private let current: Atomic<Int32>
  private let noted = Atomic<UInt8>(0)

  /// Takes ownership of an open descriptor.
  init(adopting number: Int32, _ identity: FileIdentity, path: String?, _ calls: SystemCalls) {
    current = Atomic(number)
    self.identity = identity
    self.path = path
    self.calls = calls
  }

  /// The descriptor. -1 if the host has closed it, and the path no longer leads to the directory.
  var number: Int32 {
    let known = current.load(ordering: .acquiring)
    return isOurs(known) ? known : reopened()
  }

  var repairs: DirectoryRepairs { DirectoryRepairs(rawValue: noted.load(ordering: .relaxed)) }

  func note(_ repair: DirectoryRepairs) { _ = noted.bitwiseOr(repair.rawValue, ordering: .relaxed) }

  private func isOurs(_ number: Int32) -> Bool { calls.files.status(number).openIdentity == identity }

  private func reopened() -> Int32 {
    guard let path else { return -1 }
    let opened = uninterrupted { calls.directories.open(path) }
    guard opened >= 0 else { return -1 }
    guard isOurs(opened) else {
      calls.files.close(opened)
      return -1
    }
    // Another thread may have opened it in the meantime.
    let known = current.load(ordering: .acquiring)
    if known != opened, isOurs(known) {
      calls.files.close(opened)
      return known
    }
    current.store(opened, ordering: .releasing)
    note(.descriptor)
    return opened
  }

  deinit {
    let number = current.load(ordering: .acquiring)
    if isOurs(number) { calls.files.close(number) }
  }
}
