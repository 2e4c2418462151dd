// SPDX-License-Identifier: Apache-2.0
//
// Collections: signed records, and their attachments.

internal import Remora

/// A collection of a Remote Settings server. A key is the id of a record.
///
/// `@unchecked Sendable`: the class adds no property to `Source`.
public final class CollectionSource: Source, @unchecked Sendable {
  /// Opens the attachment of a record. Uses the stored or packaged file, or else downloads the attachment and stores
  /// it. Concurrent openings share one download, and interrupted downloads resume at the next opening.
  ///
  /// - Parameters:
  ///   - record: The id of the record, or with `byLocation` the location of the attachment.
  ///   - snapshot: The snapshot with the record; nil means the live one.
  ///   - timeout: The longest time to wait. Zero sends no request. Nil means no limit.
  ///   - maximumBytes: The largest attachment to open. Nil means no limit. Default: 64 MiB.
  ///   - byLocation: Whether `record` is a location. Then records that filters hide are found too.
  ///   - localOnly: Whether to open only a stored or packaged attachment, without a request.
  ///   - progress: Called during the download with the received and the total bytes, on the client's thread for
  ///     callbacks. It must return quickly.
  /// - Throws: `CancellationError` as soon as the task is cancelled; the download continues if others wait for it.
  ///   `RemoraError`: `.notFound`, `.tooLarge`, `.attachmentMismatch`, `.format` for an invalid record, `.timeout`,
  ///   `.closed`; a network error.
  public func attachment(
    of record: String, in snapshot: Snapshot? = nil, timeout: Duration? = nil, maximumBytes: Int? = 64 << 20,
    byLocation: Bool = false, localOnly: Bool = false,
    progress: (@Sendable (_ received: Int, _ total: Int) -> Void)? = nil
  ) async throws -> Attachment {
    let opened = opened
    let outcome: AttachmentResult = try await result(of: label) { completion throws(Remora.RemoraError) in
      var request = AttachmentRequest(byLocation ? .location(record) : .record(record))
      request.snapshot = snapshot?.core
      request.maximumBytes = try maximumBytes.map { most throws(Remora.RemoraError) in
        guard most > 0 else { throw .invalidArgument("max_bytes", "must be positive") }
        return most
      }
      request.isLocal = localOnly
      let report = progress.map { progress -> @Sendable (AttachmentProgress) -> Void in
        { now in _ = HostCalling.call { progress(now.received, now.total) } }
      }
      let waiter = try opened.openAttachmentAsync(
        request, timeoutMs: limit(timeout), AttachmentListener(progress: report, completion: completion))
      return { opened.cancel(waiter) }
    }
    switch outcome {
    case .success(let attachment): return Attachment(attachment)
    case .failure(let error): throw RemoraError(error, of: label)
    }
  }
}

/// The verified bytes of an attachment, with the size and the SHA-256 that the record states. The bytes stay valid
/// after the client is closed.
public struct Attachment: Sendable {
  private let core: Remora.Attachment

  init(_ core: Remora.Attachment) { self.core = core }

  /// The number of bytes.
  public var count: Int { core.bytes.count }
  /// A copy of the bytes.
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
  /// The path of the stored file; nil if the bytes are in memory only.
  public var path: String? { core.path }

  /// Calls `body` with the bytes, which are valid until `body` returns. Does not copy the bytes.
  public func withUnsafeBytes<Answer, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    defer { withExtendedLifetime(core) {} }
    return try body(core.bytes)
  }
}
