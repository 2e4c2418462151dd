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
