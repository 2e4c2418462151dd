// SPDX-License-Identifier: Apache-2.0
//
// An attachment: the wish for one, and its bytes. Invariant: an `Attachment` is made of bytes that have the size and
// the SHA-256 that the record says, and of no others.

/// The verified bytes of an attachment. Independent of the client that it came from.
package final class Attachment: Sendable {
  private let content: ImageBuffer
  /// The file that holds the bytes; nil when they are in memory only.
  package let path: String?

  init(verified content: ImageBuffer, path: String?) {
    self.content = content
    self.path = path
  }

  /// The bytes; valid while this object lives.
  package var bytes: UnsafeRawBufferPointer { content.bytes }
}

/// Which attachment a caller wants.
package struct AttachmentRequest {
  /// How a record is found.
  package enum Selector {
    /// By its id; as what is shown of the snapshot has it.
    case record(String)
    /// By its attachment's location; filters do not matter.
    case location(String)
  }

  package var selector: Selector
  /// Where the record is looked for; nil is the live snapshot.
  package var snapshot: Snapshot?
  /// Larger ones are not opened; nil opens all that can be mapped.
  package var maximumBytes: Int?
  /// Whether no request may be sent.
  package var isLocal = false

  /// The limit of hosts that name none.
  package static let defaultMaximumBytes = 64 << 20

  package init(_ selector: Selector) {
    self.selector = selector
    maximumBytes = Self.defaultMaximumBytes
  }
}

/// One attachment of a source, and where it may be. Openings of equal ones share their work.
struct WantedAttachment: Hashable, Sendable {
  /// The server, as backoffs are known by.
  let server: String
  let name: AttachmentName
  let bytes: Int
  /// As the record has it.
  let location: String
  /// Where the host may have packaged it.
  let packaged: PackagedPlace?
}

/// A file of a host's folder of packaged attachments.
struct PackagedPlace: Hashable, Sendable {
  let folder: String
  let record: String
}

/// The end of an opening.
package typealias AttachmentResult = Result<Attachment, RemoraError>

/// How far a download is.
package struct AttachmentProgress: Equatable, Sendable {
  /// Bytes that are there.
  package let received: Int
  /// All bytes.
  package let total: Int
}

/// The callbacks of an asynchronous opening.
package typealias AttachmentListener = Listener<AttachmentProgress, AttachmentResult>

/// One caller of an opening. Its scope is the source.
package typealias AttachmentWaiter = Waiter<AttachmentProgress, AttachmentResult>

extension Source {
  /// What a caller wants, by what the record says.
  ///
  /// - Throws: `.notFound`, `.format`, `.tooLarge`; `.invalidArgument` for a snapshot of something else; `.closed`.
  func resolve(_ request: AttachmentRequest) throws(RemoraError) -> WantedAttachment {
    let live = try acquire()
    let snapshot = request.snapshot ?? live
    let identity = snapshot.base.metadata.identity
    guard identity.isEmpty || identity == dialect.identity || dialect.earlierIdentities.contains(identity) else {
      throw .invalidArgument("snapshot", "is of another source")
    }
    let (entry, metadata) = try find(request.selector, in: snapshot)
    let limit = min(request.maximumBytes ?? .max, StorageDirectory.maximumImageSize)
    guard metadata.bytes <= limit else {
      throw RemoraError(
        .tooLarge, "the attachment \(metadata.location) has \(metadata.bytes) bytes; the limit is \(limit)")
    }
    guard let name = AttachmentName(hex64: metadata.sha256) else {
      throw RemoraError(.internal, "a digest was accepted that is none")
    }
    return WantedAttachment(
      server: try dialect.requireServer(), name: name, bytes: metadata.bytes, location: metadata.location,
      packaged: options.packagedAttachments.map {
        PackagedPlace(folder: $0, record: String(decoding: entry.key, as: UTF8.self))
      })
  }

  private func find(
    _ selector: AttachmentRequest.Selector, in snapshot: Snapshot
  ) throws(RemoraError) -> (Entry, AttachmentMetadata) {
    let rules = try dialect.requireAttachments()
    switch selector {
    case .record(let id):
      guard let entry = (Array(id.utf8).withUnsafeBytes { snapshot.reader.pointee.entry($0) }) else {
        throw RemoraError(.notFound, "there is no record \(id)")
      }
      guard let metadata = try rules.metadata(of: entry) else {
        throw RemoraError(.notFound, "the record \(id) has no attachment")
      }
      return (entry, metadata)
    case .location(let location):
      let wanted = Array(location.utf8)
      let all = snapshot.base.reader(over: nil)
      for index in 0..<all.count {
        guard let entry = all.entry(at: index), let said = rules.location(of: entry),
          said.elementsEqual(wanted), let metadata = try rules.metadata(of: entry)
        else { continue }
        return (entry, metadata)
      }
      throw RemoraError(.notFound, "no record has an attachment at \(location)")
    }
  }
}
