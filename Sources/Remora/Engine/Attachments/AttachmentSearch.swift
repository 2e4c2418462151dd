// SPDX-License-Identifier: Apache-2.0
//
// Attachments without a request: stored, packaged, or open already. Their digest is checked once in the life of a
// client, in pieces, so that the worker gets to other jobs in between.

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

extension Client {
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
    case .stored: try storage?.openAttachment(wanted.name, bytes: wanted.bytes)
    case .packaged(let place):
      try openPackagedAttachment(folder: place.folder, record: place.record, bytes: wanted.bytes)
    }
  }

  /// The file at a place.
  func path(_ wanted: WantedAttachment, at place: AttachmentPlace) -> String? {
    switch place {
    case .stored: storage?.attachmentPath(wanted.name)
    case .packaged(let place): packagedAttachmentPath(folder: place.folder, record: place.record)
    }
  }

  /// What is in memory only and open now.
  func openElsewhere(_ wanted: WantedAttachment) -> Attachment? {
    let known = runtime.lock.withLock { attachments.read($0, \.inMemory)[wanted.name]?.attachment }
    return known?.bytes.count == wanted.bytes ? known : nil
  }

  /// Whether what is at a place had its digest when this client saw it first.
  func isChecked(_ wanted: WantedAttachment, at place: AttachmentPlace) -> Bool {
    let file = CheckedAttachment(name: wanted.name, place: place)
    return runtime.lock.withLock { attachments.read($0, \.checked).contains(file) }
  }

  /// Remembers that what is at a place has its digest.
  func noteChecked(_ wanted: WantedAttachment, at place: AttachmentPlace) {
    let file = CheckedAttachment(name: wanted.name, place: place)
    runtime.lock.withLock { locked in attachments.with(locked) { _ = $0.checked.insert(file) } }
  }
}

extension AttachmentRun {
  /// Looks at all places, from the first on.
  func search(_ right: borrowing Exclusive) {
    if let attachment = client.openElsewhere(wanted) { return end(.success(attachment), right) }
    let places = client.places(of: wanted)
    work.with(right) { ($0.storedProblem, $0.isStoredDamaged, $0.places) = (nil, false, places) }
    searchNext(right)
  }

  /// Looks at the next place; behind the last one the server is asked.
  private func searchNext(_ right: borrowing Exclusive) {
    let next = work.with(right) { $0.places.isEmpty ? nil : $0.places.removeFirst() }
    guard let place = next else { return leaveSearch(right) }
    do throws(RemoraError) {
      guard let content = try client.open(wanted, at: place) else { return searchNext(right) }
      guard !client.isChecked(wanted, at: place) else { return found(content, at: place, isRight: true, right) }
      check(content, right) { run, isRight, right in run.found(content, at: place, isRight: isRight, right) }
    } catch {
      reject(place, error, right)
    }
  }

  private func found(_ content: ImageBuffer, at place: AttachmentPlace, isRight: Bool, _ right: borrowing Exclusive) {
    let path = client.path(wanted, at: place)
    guard isRight else {
      if case .stored = place { work.set(right, \.isStoredDamaged, to: true) }
      let problem = RemoraError(.corrupt, "\(path ?? wanted.location) has another SHA-256 than its record says")
      return reject(place, problem, right)
    }
    client.noteChecked(wanted, at: place)
    end(.success(Attachment(verified: content, path: path)), right)
  }

  /// Goes on without what is at a place.
  private func reject(_ place: AttachmentPlace, _ error: RemoraError, _ right: borrowing Exclusive) {
    source.note(.warning, "\(error.message); the file is not used")
    if case .stored = place { work.set(right, \.storedProblem, to: error) }
    searchNext(right)
  }

  /// Ends the wait of callers who want no request; for the others the server is asked.
  private func leaveSearch(_ right: borrowing Exclusive) {
    let storedProblem = work.read(right, \.storedProblem)
    let (ended, isWanted) = lock.withLock { locked in
      state.set(locked, \.isSearchOver, to: true)
      let ended = waiters.end(locked) { caller -> AttachmentResult? in
        guard case .failure(let absence)? = caller.withoutRequest else { return nil }
        return .failure(absence.code == .notFound ? storedProblem ?? absence : absence)
      }
      return (ended, !state.read(locked, \.isOver) && client.beginDownload(of: self, locked))
    }
    withExtendedLifetime(ended) {}
    if isWanted { takePart(right) }
  }

  // MARK: The digest

  /// Compares the digest of bytes with the name, and goes on with the answer.
  func check(
    _ content: ImageBuffer, _ right: borrowing Exclusive,
    _ next: @escaping @Sendable (AttachmentRun, Bool, borrowing Exclusive) -> Void
  ) {
    do throws(RemoraError) {
      check(AttachmentHash(content, try MessageDigest(.sha256)), right, next)
    } catch {
      fail(error, right)
    }
  }

  private func check(
    _ hash: AttachmentHash, _ right: borrowing Exclusive,
    _ next: @escaping @Sendable (AttachmentRun, Bool, borrowing Exclusive) -> Void
  ) {
    guard let digest = hash.advance(right) else {
      return lock.withLock { locked in enqueue(locked) { $0.check(hash, $1, next) } }
    }
    next(self, AttachmentName(digest: digest) == wanted.name, right)
  }
}

extension Client {
  /// Returns whether a run may ask the server now. If not, its turn comes when a download ends.
  fileprivate func beginDownload(of run: AttachmentRun, _ locked: borrowing Locked) -> Bool {
    attachments.with(locked) { state in
      if state.downloads.contains(where: { $0 === run }) { return true }
      guard state.downloads.count < AttachmentRun.mostDownloads else {
        state.waiting.append(run)
        return false
      }
      state.downloads.append(run)
      return true
    }
  }
}

/// A digest on its way through bytes.
///
/// `@unchecked Sendable`: only `advance` changes it.
private final class AttachmentHash: @unchecked Sendable {
  /// How much is looked at in one job: some milliseconds.
  private static let jobBytes = 4 << 20
  /// How much of it is in memory at a time.
  private static let pieceBytes = 512 << 10

  private let content: ImageBuffer
  private var digest: MessageDigest?
  private var position = 0

  init(_ content: ImageBuffer, _ digest: consuming MessageDigest) {
    self.content = content
    self.digest = consume digest
  }

  /// Looks at what comes next; the digest once there is nothing.
  func advance(_ right: borrowing Exclusive) -> [UInt8]? {
    let count = content.bytes.count
    let stop = min(position + Self.jobBytes, count)
    while position < stop {
      let piece = position..<min(position + Self.pieceBytes, stop)
      digest?.update(UnsafeRawBufferPointer(rebasing: content.bytes[piece]))
      // What was looked at is in the file, and does not have to be in the memory of the process too.
      content.letGo(of: piece)
      position = piece.upperBound
    }
    return position < count ? nil : digest.take()?.finish() ?? []
  }
}
