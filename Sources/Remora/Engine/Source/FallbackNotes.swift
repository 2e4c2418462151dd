// SPDX-License-Identifier: Apache-2.0
//
// Logs reads by key that return the caller's default although the key exists: one DEBUG line for each key and reason,
// so that a misspelt pointer or a changed type can be found. A pointer that is malformed is a mistake of the program,
// and is logged as a warning. Without a log such a read costs one more comparison.

final class FallbackNotes: SourcePart, Sendable {
  let core: SourceCore
  private let lines = Guarded<Set<String>>([])

  init(_ core: SourceCore) { self.core = core }

  /// The maximum number of different lines of a source.
  private static var mostLines: Int { 256 }

  /// Logs the reason a read by key returned the caller's default. A missing key and null are ordinary cases and not
  /// logged. If the lock is busy, nothing is logged until the next such read. Logging a line takes the lock.
  ///
  /// - Parameters:
  ///   - wanted: The requested type, with its article.
  ///   - problem: The reason a value of that type could not be read, if there is one.
  func note(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, wanted: StaticString, _ problem: RemoraError?
  ) {
    guard let logged = services.logLevel else { return }
    let isMalformed = pointer.map { !isJSONPointer(bytes(of: $0)) } ?? false
    let level = isMalformed ? LogLevel.warning : .debug
    guard level.rawValue <= logged.rawValue else { return }
    let reason =
      if isMalformed { "is not a JSON Pointer, such as \"/text\"" } else {
        problem.map { "cannot be read: \($0.message)" } ?? fallbackReason(key, pointer, wanted)
      }
    guard let reason else { return }
    var name = "key \"\(shown(bytes(of: key)))\""
    if let pointer, pointer.pointee != 0 { name += "\(isMalformed ? ":" : " at") \"\(shown(bytes(of: pointer)))\"" }
    let line = "\(name) \(reason); a read returned its default"
    var isNew = false
    lock.withLockIfFree { locked in
      isNew = lines.with(locked) { $0.count < Self.mostLines && $0.insert(line).inserted }
    }
    if isNew { note(level, line) }
  }

  private func fallbackReason(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ wanted: StaticString
  ) -> String? {
    core.cell.read { reader -> String? in
      switch reader.pointee.find(key, pointer) {
      case .found(let value): value.type == .null ? nil : "is \(value.type.name), not \(wanted)"
      case .absent: reader.pointee.find(key, nil).value == nil ? nil : "does not exist"
      case .malformed: nil
      }
    } ?? nil
  }
}
