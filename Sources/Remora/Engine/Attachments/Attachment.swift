// SPDX-License-Identifier: Apache-2.0
//
// An attachment, and the request for one.
// Invariant: an `Attachment` consists of bytes with the size and the SHA-256 that the record states.

/// The verified bytes of an attachment. Independent of its client.
package final class Attachment: Sendable {
  private let content: ImageBuffer
  /// The file with the bytes; nil if they are in memory only.
  package let path: String?

  init(verified content: ImageBuffer, path: String?) {
    self.content = content
    self.path = path
  }

  /// The bytes; valid while this object lives.
  package var bytes: UnsafeRawBufferPointer { content.bytes }
}

/// A caller's request for an attachment.
package struct AttachmentRequest {
  /// How to find the record.
  package enum Selector {
    /// By the id of a record that is visible in the snapshot.
    case record(String)
    /// By the location of its attachment; filters are ignored.
    case location(String)
  }

  package var selector: Selector
  /// The snapshot with the record; nil means the live snapshot.
  package var snapshot: Snapshot?
  /// The size limit; nil opens any attachment that can be mapped.
  package var maximumBytes: Int?
  /// Whether no request may be sent.
  package var isLocal = false

  package static let defaultMaximumBytes = 64 << 20

  package init(_ selector: Selector) {
    self.selector = selector
    maximumBytes = Self.defaultMaximumBytes
  }
}

/// One attachment of a source, with its possible places. Openings of equal values share their work.
struct WantedAttachment: Hashable, Sendable {
  /// The identity of the server, as for backoffs.
  let server: String
  let name: AttachmentName
  let bytes: Int
  /// The location, as the record states it.
  let location: String
  /// The host's packaged file, if the host has set a folder.
  let packaged: PackagedPlace?
}

/// A file in the host's folder of packaged attachments.
struct PackagedPlace: Hashable, Sendable {
  let folder: String
  let record: String
}

package typealias AttachmentResult = Result<Attachment, RemoraError>

package struct AttachmentProgress: Equatable, Sendable {
  package let received: Int
  package let total: Int
}

package typealias AttachmentListener = Listener<AttachmentProgress, AttachmentResult>

/// One caller of an opening. Its scope is the source.
package typealias AttachmentWaiter = Waiter<AttachmentProgress, AttachmentResult>
