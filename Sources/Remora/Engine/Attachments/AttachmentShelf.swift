// SPDX-License-Identifier: Apache-2.0
//
// The attachments of a client that need no request: stored, packaged, or open already.

/// Where an attachment may be without a request.
enum AttachmentPlace: Hashable {
  case stored
  case packaged(PackagedPlace)
}

/// A file whose digest was checked. The name is part of it: a record may say another digest of the same packaged file.
struct CheckedAttachment: Hashable {
  let name: AttachmentName
  let place: AttachmentPlace
}

/// What can be said of an attachment at once.
enum AttachmentPeek {
  /// It is there, and its digest was checked before.
  case checked(Attachment)
  /// Something is there, or may be.
  case unchecked
  case absent
}

/// The attachments that need no request.
final class AttachmentShelf: Sendable {
  private struct State {
    /// Stored and packaged files whose digest was checked.
    var checked: Set<CheckedAttachment> = []
    /// How often the storage directory had been replaced then: what has their names elsewhere was never looked at.
    var replacementsSeen = 0
    /// What is in memory only, as long as somebody has it open.
    var inMemory: [AttachmentName: WeakAttachment] = [:]
  }

  private let services: ClientServices
  private let state = Guarded(State())

  init(_ services: ClientServices) { self.services = services }

  /// Looks whether an attachment is at hand. Reads files.
  func peek(_ wanted: WantedAttachment) -> AttachmentPeek {
    if let attachment = openElsewhere(wanted) { return .checked(attachment) }
    var isAnythingThere = false
    for place in places(of: wanted) {
      do throws(RemoraError) {
        guard let content = try open(wanted, at: place) else { continue }
        if isChecked(wanted, at: place) {
          return .checked(Attachment(verified: content, path: path(wanted, at: place)))
        }
        isAnythingThere = true
      } catch {
        isAnythingThere = true
      }
    }
    return isAnythingThere ? .unchecked : .absent
  }

  /// The places of an attachment, in the order in which they are looked at.
  func places(of wanted: WantedAttachment) -> [AttachmentPlace] {
    [.stored] + [wanted.packaged.map { .packaged($0) }].compactMap { $0 }
  }

  /// The bytes at a place, of the right size; nil when there is nothing.
  func open(_ wanted: WantedAttachment, at place: AttachmentPlace) throws(RemoraError) -> ImageBuffer? {
    switch place {
    case .stored: try services.storage?.openAttachment(wanted.name, bytes: wanted.bytes)
    case .packaged(let place):
      try openPackagedAttachment(folder: place.folder, record: place.record, bytes: wanted.bytes)
    }
  }

  /// The file at a place.
  func path(_ wanted: WantedAttachment, at place: AttachmentPlace) -> String? {
    switch place {
    case .stored: services.storage?.attachmentPath(wanted.name)
    case .packaged(let place): packagedAttachmentPath(folder: place.folder, record: place.record)
    }
  }

  /// What is in memory only and open now.
  func openElsewhere(_ wanted: WantedAttachment) -> Attachment? {
    let known = services.lock.withLock { state.read($0, \.inMemory)[wanted.name]?.attachment }
    return known?.bytes.count == wanted.bytes ? known : nil
  }

  /// Whether what is at a place had its digest when this client saw it first.
  func isChecked(_ wanted: WantedAttachment, at place: AttachmentPlace) -> Bool {
    let file = CheckedAttachment(name: wanted.name, place: place)
    return withChecked { $0.contains(file) }
  }

  /// Remembers that what is at a place has its digest.
  func noteChecked(_ wanted: WantedAttachment, at place: AttachmentPlace) {
    let file = CheckedAttachment(name: wanted.name, place: place)
    withChecked { _ = $0.insert(file) }
  }

  /// Remembers what is in memory only, for who opens it meanwhile.
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

/// An attachment that nobody is kept from releasing.
private struct WeakAttachment {
  weak var attachment: Attachment?
}
