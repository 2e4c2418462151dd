// SPDX-License-Identifier: Apache-2.0
//
// Collections: signed records, and their attachments.

internal import Remora

/// A collection of a Remote Settings server. A key is the id of a record.
///
/// `@unchecked Sendable`: the class adds no property to `Source`.
public final class CollectionSource: Source, @unchecked Sendable {
  /// The options of a collection; see docs/collections.md.
  public struct Options: Sendable {
    /// Whether signatures are required.
    public enum Trust: String, CaseIterable, Sendable {
      case required
      /// Only for a server that does not sign.
      case off
    }

    /// The server: a preset or a URL; nil means that of the client.
    public var server: String?
    /// The bucket; nil means that of the client.
    public var bucket: String?
    public var trust = Trust.required
    /// The SHA-256 of the root certificate, in hexadecimal digits; nil means that of the preset.
    public var rootSHA256: String?
    /// The root pins from before a rotation.
    public var previousRoots: [String] = []
    /// The DNS name of the signer; nil means the one of the bucket.
    public var signer: String?
    /// Further hosts from which certificate chains are accepted.
    public var trustedHosts: [String] = []
    /// How far in the future a timestamp may be; nil means any time. Default: 24 hours.
    public var maximumFuture: Duration? = .milliseconds(CollectionDialect.defaultFutureMs)
    /// When fetched data becomes live.
    public var activation = Activation.immediate
    public var packaged: PackagedData?
    /// A folder of packaged attachments, each named by the id of its record.
    public var packagedAttachments: String?
    /// Whether opening starts a refresh in the background.
    public var fetchAtOpen = false
    /// The approximate interval of automatic refreshes, at least a second; nil means none.
    public var refreshInterval: Duration?
    /// Whether overrides are stored, and read at the next opening.
    public var persistOverrides = false

    /// Creates options with defaults.
    public init(trust: Trust = .required) { self.trust = trust }
  }

  /// Opens the attachment of a record: the stored file, the packaged one, or the server's. Concurrent openings share
  /// one download, and an interrupted download is resumed by the next one.
  ///
  /// - Parameters:
  ///   - record: The id of the record.
  ///   - snapshot: The snapshot with the record; nil means the live one.
  ///   - timeout: The longest time to wait. Zero allows no request. Nil means no limit.
  ///   - maximumBytes: The largest attachment to open. Default: 64 MiB.
  ///   - localOnly: Whether to send no request.
  ///   - progress: Called during the download with the received and the total bytes, on the client's thread for
  ///     callbacks. It must return quickly.
  /// - Throws: `CancellationError` as soon as the task is cancelled; the download continues if others wait for it.
  ///   `RemoraError`: `.notFound`, `.tooLarge`, `.attachmentMismatch`, `.format` for the record, `.timeout`,
  ///   `.closed`; a network error.
  public func attachment(
    of record: String, in snapshot: Snapshot? = nil, timeout: Duration? = nil, maximumBytes: Int = 64 << 20,
    localOnly: Bool = false, progress: (@Sendable (_ received: Int, _ total: Int) -> Void)? = nil
  ) async throws -> Attachment {
    let opened = opened
    let outcome: AttachmentResult = try await result(of: label) { completion throws(Remora.RemoraError) in
      var request = AttachmentRequest(.record(record))
      request.snapshot = snapshot?.core
      request.maximumBytes = maximumBytes
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

/// The verified bytes of an attachment: they have the size and the SHA-256 that the record states. Independent of its
/// client.
public struct Attachment: Sendable {
  private let core: Remora.Attachment

  init(_ core: Remora.Attachment) { self.core = core }

  /// The number of bytes.
  public var count: Int { core.bytes.count }
  /// A copy of the bytes.
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
  /// The path of the stored file; nil if the bytes are in memory only.
  public var path: String? { core.path }

  /// Calls `body` with the bytes, which are valid until it returns. Copies nothing.
  public func withUnsafeBytes<Answer, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    defer { withExtendedLifetime(core) {} }
    return try body(core.bytes)
  }
}

extension CollectionSource.Options {
  /// Returns the core's options.
  func core(_ name: String) throws(Remora.RemoraError) -> CollectionOptions {
    var options = CollectionOptions()
    options.collection = name
    options.server = server
    options.bucket = bucket
    options.requiresSignature = trust == .required
    options.rootSHA256 = rootSHA256
    options.previousRoots = previousRoots
    options.signer = signer
    options.trustedHosts = trustedHosts
    options.maximumFutureMs = maximumFuture?.ms
    options.activation = ActivationMode(activation)
    options.packaged = packaged?.core
    options.packagedAttachments = packagedAttachments
    options.opening = try OpeningOptions(fetch: fetchAtOpen, refreshInterval, persistOverrides: persistOverrides)
    return options
  }
}
