// SPDX-License-Identifier: Apache-2.0
//
// Reads by key that return the caller's default although the key exists: one DEBUG line for each key and reason, so that
// a misspelt pointer or a changed type can be found. Without a DEBUG log such a read costs one comparison more.

internal import Glibc

extension Source {
  /// How many different lines a source logs at most.
  private static var mostFallbackNotes: Int { 256 }

  /// Logs why a read by key returned the caller's default. A missing key is an ordinary case, and so is null: neither is
  /// logged. Never waits: while the lock is busy, it is left to the next read.
  ///
  /// - Parameter wanted: What the caller asked for, with its article.
  package func noteFallback(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, wanted: StaticString) {
    guard services.isDebugLogged, let reason = fallbackReason(key, pointer, wanted) else { return }
    let place = pointer.map { String(cString: $0) } ?? ""
    let key = shown(Array(UnsafeRawBufferPointer(start: key, count: strlen(key))))
    let name = "key \"\(key)\"\(place.isEmpty ? "" : " at \"\(place.prefix(200))\"")"
    let line = "\(name) \(reason); a read returned its default"
    var isNew = false
    lock.withLockIfFree { locked in
      isNew = state.with(locked) {
        $0.listeners.fallbackNotes.count < Self.mostFallbackNotes && $0.listeners.fallbackNotes.insert(line).inserted
      }
    }
    if isNew { note(.debug, line) }
  }

  private func fallbackReason(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ wanted: StaticString
  ) -> String? {
    cell.read { reader -> String? in
      switch reader.pointee.find(key, pointer) {
      case .found(let value): value.type == .null ? nil : "is \(value.type.name), not \(wanted)"
      case .absent: reader.pointee.find(key, nil).value == nil ? nil : "does not exist"
      case .malformed: "is not a JSON Pointer"
      }
    } ?? nil
  }
}
