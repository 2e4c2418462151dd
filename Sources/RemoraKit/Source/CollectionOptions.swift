// SPDX-License-Identifier: Apache-2.0
//
// The options of a collection, and their conversion to the core's.

internal import Remora

extension CollectionSource {
  /// The options of a collection; see docs/collections.md.
  public struct Options: Sendable {
    /// Whether the data must be signed.
    public enum Trust: String, CaseIterable, Sendable {
      /// The signature and its certificate chain must be valid.
      case required
      /// Nothing is verified. Only for a server that does not sign its data.
      case off
    }

    /// The bucket. Nil means the client's bucket.
    public var bucket: String?
    /// The server: `"prod"`, `"stage"`, `"dev"`, or a URL. Nil means the client's server.
    public var server: String?
    /// The SHA-256 of the signers' root certificate in DER form: 64 hexadecimal digits, colons allowed. Nil means the
    /// production root for the server `"prod"`, otherwise the root of Mozilla's stage and development servers.
    public var rootSHA256: String?
    /// The DNS name that the leaf certificate must contain. Nil means Mozilla's signer of the bucket.
    public var signer: String?
    /// Whether the data must be signed. Default: `.required`.
    public var trust: Trust
    /// When fetched data becomes live. Default: `.immediate`.
    public var activation: Activation
    /// Earlier values of `rootSHA256`, at most 8. Data that was stored with one of them stays readable until the first
    /// fetch with the current root. Default: none.
    public var previousRoots: [String]
    /// Hosts from which certificate chains are accepted, besides the server: `"host"` or `"host:port"`.
    /// Default: none.
    public var trustedHosts: [String]
    /// How far in the future the timestamp of fetched data may be. Nil means any time. Default: 24 hours.
    public var maximumFuture: Duration?
    /// The packaged data, in the form `{"data": [records], "timestamp": N}`. Default: none.
    public var packaged: PackagedData?
    /// A folder of packaged attachments. The name of each file is the id of its record. Default: none.
    public var packagedAttachments: String?
    /// Whether each opening starts a refresh in the background. Nil means true with `refreshInterval`, else false.
    public var fetchAtOpen: Bool?
    /// The approximate interval of refreshes in the background, at least a second. Nil means none.
    public var refreshInterval: Duration?
    /// Whether overrides are stored, and restored at the next opening. Default: false.
    public var persistOverrides: Bool
    /// The rules for accepting fetched data. Default: none.
    public var accepts: AcceptanceRules
    /// Called with the events of the source, on the client's thread of callbacks. The first event reports the state at
    /// the opening. In the closure, use `event.source`: a closure that captures the source keeps it open. Default: nil.
    public var onEvent: (@Sendable (Event) -> Void)?

    /// Creates options. The properties describe the parameters.
    public init(
      bucket: String? = nil, server: String? = nil, rootSHA256: String? = nil, signer: String? = nil,
      trust: Trust = .required, activation: Activation = .immediate, previousRoots: [String] = [],
      trustedHosts: [String] = [], maximumFuture: Duration? = .seconds(24 * 60 * 60), packaged: PackagedData? = nil,
      packagedAttachments: String? = nil, fetchAtOpen: Bool? = nil, refreshInterval: Duration? = nil,
      persistOverrides: Bool = false, accepts: AcceptanceRules = AcceptanceRules(),
      onEvent: (@Sendable (Event) -> Void)? = nil
    ) {
      (self.bucket, self.server, self.trust, self.activation) = (bucket, server, trust, activation)
      (self.rootSHA256, self.signer, self.previousRoots) = (rootSHA256, signer, previousRoots)
      (self.trustedHosts, self.maximumFuture) = (trustedHosts, maximumFuture)
      (self.packaged, self.packagedAttachments) = (packaged, packagedAttachments)
      (self.fetchAtOpen, self.refreshInterval) = (fetchAtOpen, refreshInterval)
      (self.persistOverrides, self.accepts, self.onEvent) = (persistOverrides, accepts, onEvent)
    }
  }
}

extension CollectionSource.Options {
  /// Returns the core's options.
  ///
  /// - Throws: `.invalidArgument` naming the option.
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
    options.maximumFutureMs = try maximumFuture.map { future throws(Remora.RemoraError) in
      try limit(future, of: "max_future_ms")
    }
    options.activation = ActivationMode(activation)
    options.packaged = packaged?.core
    options.packagedAttachments = packagedAttachments
    options.opening = try OpeningOptions(
      fetch: fetchAtOpen, refreshInterval, persistOverrides: persistOverrides, accepts)
    return options
  }
}
