// SPDX-License-Identifier: Apache-2.0
//
// Searches for an attachment without a request: stored, packaged, or already open. The digest of a file is checked once
// per client, in pieces, so that other jobs run in between.

extension AttachmentRun {
  func search(_ exclusive: Exclusive) { search(attachments.local.places(of: wanted), exclusive) }

  /// Searches again while another process downloads the attachment, which it will store.
  func searchStored(_ exclusive: Exclusive) { search([.stored], exclusive) }

  private func search(_ places: [AttachmentPlace], _ exclusive: Exclusive) {
    if let attachment = attachments.local.openElsewhere(wanted) { return end(.success(attachment), exclusive) }
    work.with(exclusive) { ($0.storedProblem, $0.isStoredDamaged, $0.places) = (nil, false, places) }
    searchNext(exclusive)
  }

  /// Searches the next place; after the last one, starts the download.
  private func searchNext(_ exclusive: Exclusive) {
    let next = work.with(exclusive) { $0.places.isEmpty ? nil : $0.places.removeFirst() }
    guard let place = next else { return leaveSearch(exclusive) }
    do throws(RemoraError) {
      guard let content = try attachments.local.open(wanted, at: place) else { return searchNext(exclusive) }
      if attachments.local.isChecked(wanted, at: place, content) {
        return found(content, at: place, isRight: true, exclusive)
      }
      check(content, exclusive) { run, isRight, exclusive in run.found(content, at: place, isRight: isRight, exclusive)
      }
    } catch {
      reject(place, error, exclusive)
    }
  }

  private func found(_ content: ImageBuffer, at place: AttachmentPlace, isRight: Bool, _ exclusive: Exclusive) {
    let path = attachments.local.path(wanted, at: place)
    guard isRight else {
      if case .stored = place { work[exclusive].isStoredDamaged = true }
      let problem = RemoraError(.corrupt, "\(path ?? wanted.location) does not have the SHA-256 that its record states")
      return reject(place, problem, exclusive)
    }
    attachments.local.noteChecked(wanted, at: place, content)
    end(.success(Attachment(verified: content, path: path)), exclusive)
  }

  /// Continues the search after a file was found unusable.
  private func reject(_ place: AttachmentPlace, _ error: RemoraError, _ exclusive: Exclusive) {
    if exchange(&work[exclusive].loggedProblem, error) != error {
      source.note(.warning, "\(error.message); the file is not used")
    }
    if case .stored = place { work[exclusive].storedProblem = error }
    searchNext(exclusive)
  }

  /// Ends the wait of callers that allow no request; starts the download for the others.
  private func leaveSearch(_ exclusive: Exclusive) {
    let storedProblem = work[exclusive].storedProblem
    let (ended, isWanted) = lock.withLock { locked in
      state[locked].isSearchOver = true
      let ended = waiters.end(locked) { caller -> AttachmentResult? in
        guard case .failure(let absence)? = caller.withoutRequest else { return nil }
        return .failure(absence.code == .notFound ? storedProblem ?? absence : absence)
      }
      return (ended, !state[locked].isOver && attachments.beginDownload(of: self, locked))
    }
    withExtendedLifetime(ended) {}
    if isWanted { takePart(exclusive) }
  }

  // MARK: The digest

  /// Compares the digest of bytes with the attachment's name, and continues with `next`.
  func check(
    _ content: ImageBuffer, _ exclusive: Exclusive,
    _ next: @escaping @Sendable (AttachmentRun, Bool, Exclusive) -> Void
  ) {
    do throws(RemoraError) {
      check(AttachmentHash(content, try MessageDigest(.sha256)), exclusive, next)
    } catch {
      fail(error, exclusive)
    }
  }

  private func check(
    _ hash: AttachmentHash, _ exclusive: Exclusive,
    _ next: @escaping @Sendable (AttachmentRun, Bool, Exclusive) -> Void
  ) {
    guard let digest = hash.advance(exclusive) else {
      return lock.withLock { locked in enqueue(locked) { $0.check(hash, $1, next) } }
    }
    next(self, AttachmentName(digest: digest) == wanted.name, exclusive)
  }
}

/// A digest that is computed in steps.
///
/// `@unchecked Sendable`: only `advance` changes it, with the exclusive right.
private final class AttachmentHash: @unchecked Sendable {
  /// The number of bytes per job, which takes some milliseconds.
  private static let jobBytes = 4 << 20
  /// The number of bytes that are in memory at a time.
  private static let pieceBytes = 512 << 10

  private let content: ImageBuffer
  private var digest: MessageDigest?
  private var position = 0

  init(_ content: ImageBuffer, _ digest: consuming MessageDigest) {
    self.content = content
    self.digest = consume digest
  }

  /// Hashes the next bytes; returns the digest after the last ones, else nil.
  func advance(_ exclusive: Exclusive) -> [UInt8]? {
    let count = content.bytes.count
    let stop = min(position + Self.jobBytes, count)
    while position < stop {
      let piece = position..<min(position + Self.pieceBytes, stop)
      digest?.update(UnsafeRawBufferPointer(rebasing: content.bytes[piece]))
      // Hashed pages can be read from the file again, so the process need not keep them in memory.
      content.discardPages(in: piece)
      position = piece.upperBound
    }
    return position < count ? nil : digest.take()?.finish() ?? []
  }
}
