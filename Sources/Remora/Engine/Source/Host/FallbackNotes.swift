// SPDX-License-Identifier: Apache-2.0
//
// Logs reads by key that return the caller's default although the key exists: one DEBUG line for each key and reason,
// so that a misspelt pointer or a changed type can be found. Without a DEBUG log such a read costs one more comparison.

internal import Glibc

/// Logs reads of a source that returned the caller's default.
final class FallbackNotes: SourcePart, Sendable {
  let core: SourceCore
  /// The lines that were logged.
  private let lines = Guarded<Set<String>>([])

  init(_ core: SourceCore) { self.core = core }

  /// The maximum number of different lines of a source.
  private static var mostLines: Int { 256 }

  /// Logs the reason a read by key returned the caller's default. A missing key and null are ordinary cases and not
  /// logged. Never waits: if the lock is busy, nothing is logged until the next such read.
  ///
  /// - Parameters:
  ///   - wanted: The requested type, with its article.
  ///   - problem: The reason a value of that type could not be read, if there is one.
  func note(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, wanted: StaticString, _ problem: RemoraError?
  ) {
    guard services.isDebugLogged else { return }
    guard let reason = problem.map({ "cannot be read: \($0.message)" }) ?? fallbackReason(key, pointer, wanted) else {
      return
    }
    let place = pointer.map { String(cString: $0) } ?? ""
    let key = shown(Array(UnsafeRawBufferPointer(start: key, count: strlen(key))))
    let name = "key \"\(key)\"\(place.isEmpty ? "" : " at \"\(place.prefix(200))\"")"
    let line = "\(name) \(reason); a read returned its default"
    var isNew = false
    lock.withLockIfFree { locked in
      isNew = lines.with(locked) { $0.count < Self.mostLines && $0.insert(line).inserted }
    }
    if isNew { note(.debug, line) }
  }

  private func fallbackReason(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ wanted: StaticString
  ) -> String? {
    core.cell.read { reader -> String? in
      switch reader.pointee.find(key, pointer) {
      case .found(let value): value.type == .null ? nil : "is \(value.type.name), not \(wanted)"
      case .absent: reader.pointee.find(key, nil).value == nil ? nil : "does not exist"
      case .malformed: "has an invalid JSON Pointer"
      }
    } ?? nil
  }
}
