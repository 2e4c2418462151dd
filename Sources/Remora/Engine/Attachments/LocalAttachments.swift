// SPDX-License-Identifier: Apache-2.0

/// A place of an attachment that needs no request.
enum AttachmentPlace: Hashable {
  case stored
  case packaged(PackagedPlace)
}

/// A file whose digest was checked. Includes the name, because a record may state another digest for a packaged file,
/// and the file, because an installer may replace a packaged file.
private struct CheckedAttachment: Hashable {
  let name: AttachmentName
  let place: AttachmentPlace
  let file: FileIdentity?
  /// Nil for stored files, whose times openings change.
  let changedNs: Int64?

  init(_ wanted: WantedAttachment, at place: AttachmentPlace, _ content: ImageBuffer) {
    (name, self.place, file) = (wanted.name, place, content.file?.identity)
    changedNs = place == .stored ? nil : content.file?.changedNs
  }
}

/// The result of a check that needs no hashing.
enum AttachmentPeek {
  /// Available, and its digest was checked before.
  case checked(Attachment)
  /// A file exists, or may exist.
  case unchecked
  case absent
}

/// The attachments of a client that need no request: stored, packaged, or already open.
final class LocalAttachments: Sendable {
  private struct State {
    /// The stored and packaged files whose digest was checked.
    var checked: Set<CheckedAttachment> = []
    /// The replacement count of the storage directory to which `checked` belongs; files of another directory are
    /// unchecked.
    var replacementsSeen = 0
    /// The open attachments that are in memory only.
    var inMemory: [AttachmentName: WeakAttachment] = [:]
  }

  private let services: ClientServices
  private let state = Guarded(State())

  init(_ services: ClientServices) { self.services = services }

  /// Checks whether an attachment is available without a request. Reads files.
  func peek(_ wanted: WantedAttachment) -> AttachmentPeek {
    if let attachment = openElsewhere(wanted) { return .checked(attachment) }
    var isAnythingThere = false
    for place in places(of: wanted) {
      do throws(RemoraError) {
        guard let content = try open(wanted, at: place) else { continue }
        if isChecked(wanted, at: place, content) {
          return .checked(Attachment(verified: content, path: path(wanted, at: place)))
        }
        isAnythingThere = true
      } catch {
        isAnythingThere = true
      }
    }
    return isAnythingThere ? .unchecked : .absent
  }

  /// Returns the places of an attachment, in search order.
  func places(of wanted: WantedAttachment) -> [AttachmentPlace] {
    [.stored] + [wanted.packaged.map { .packaged($0) }].compactMap { $0 }
  }

  /// Opens the file at a place; nil if it does not exist. Throws for another size.
  func open(_ wanted: WantedAttachment, at place: AttachmentPlace) throws(RemoraError) -> ImageBuffer? {
    switch place {
    case .stored: try services.storage?.openAttachment(wanted.name, bytes: wanted.bytes)
    case .packaged(let place):
      try openPackagedAttachment(folder: place.folder, record: place.record, bytes: wanted.bytes)
    }
  }

  /// Returns the path of the file at a place.
  func path(_ wanted: WantedAttachment, at place: AttachmentPlace) -> String? {
    switch place {
    case .stored: services.storage?.attachmentPath(wanted.name)
    case .packaged(let place): packagedAttachmentPath(folder: place.folder, record: place.record)
    }
  }

  /// Returns an open attachment that is in memory only.
  func openElsewhere(_ wanted: WantedAttachment) -> Attachment? {
    let known = services.lock.withLock { state[$0].inMemory[wanted.name]?.attachment }
    return known?.bytes.count == wanted.bytes ? known : nil
  }

  /// Whether this client has checked the digest of the file at a place, whose content was loaded.
  func isChecked(_ wanted: WantedAttachment, at place: AttachmentPlace, _ content: ImageBuffer) -> Bool {
    let file = CheckedAttachment(wanted, at: place, content)
    return withChecked { $0.contains(file) }
  }

  /// Records that the file at a place, whose content was loaded, has the right digest.
  func noteChecked(_ wanted: WantedAttachment, at place: AttachmentPlace, _ content: ImageBuffer) {
    let file = CheckedAttachment(wanted, at: place, content)
    withChecked { _ = $0.insert(file) }
  }

  /// Shares an attachment that is in memory only with later openings, while it is open.
  func share(_ attachment: Attachment, as name: AttachmentName) {
    services.lock.withLock { locked in
      state.with(locked) { state in
        state.inMemory = state.inMemory.filter { $0.value.attachment != nil }
        state.inMemory[name] = WeakAttachment(attachment: attachment)
      }
    }
  }

  private func withChecked<Result>(_ body: (inout Set<CheckedAttachment>) -> Result) -> Result {
    services.lock.withLock { locked in
      let replacements = services.replacements(locked)
      return state.with(locked) { state in
        if state.replacementsSeen != replacements { (state.checked, state.replacementsSeen) = ([], replacements) }
        return body(&state.checked)
      }
    }
  }
}

/// A weak reference, so that attachments can be released.
private struct WeakAttachment {
  weak var attachment: Attachment?
}
