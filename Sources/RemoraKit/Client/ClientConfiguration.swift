// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a client. `ClientConfiguration+Core` converts it to the core's options.

extension Client {
  /// The configuration of a client. Every property but `storageDirectory` has a default.
  public struct Configuration: Sendable {
    /// The thread on which the callbacks of a client run.
    public enum Callbacks: String, CaseIterable, Sendable {
      /// A thread of the client.
      case thread
      /// The thread that calls `Client.dispatch`. Calls that wait, such as `refresh`, return only after a dispatch.
      case dispatch
    }

    /// The directory for all stored data, which is created if it does not exist. Nil keeps all data in memory.
    public var storageDirectory: String?
    /// The server of collections: `"prod"`, `"stage"`, `"dev"`, or an http or https URL. Nil means `"prod"`, Mozilla's
    /// production server.
    public var server: String?
    /// The bucket of collections. Nil means `"main"`.
    public var bucket: String?
    /// The name of the application, for the default User-Agent header. Nil means `"unknown"`.
    public var applicationName: String?
    /// The version of the application, for the default User-Agent header. Nil means `"0"`.
    public var applicationVersion: String?
    /// The build of the application, for the default User-Agent header. Nil means that the header has no build.
    public var applicationBuild: String?
    /// The User-Agent header. Nil means the name, version and build of the application, and Remora's version.
    public var userAgent: String?
    /// The proxy, in libcurl's syntax. Nil means no proxy: environment variables are not read.
    public var proxy: String?
    /// A PEM file of trusted root certificates for TLS. Nil means libcurl's file.
    public var caFile: String?
    /// A PEM file of the certificate that identifies the client to the server of a source, with its chain. The file is
    /// read for each new connection, so you can replace it. Nil means no certificate.
    public var clientCertificateFile: String?
    /// A PEM file of the private key of `clientCertificateFile`, read for each connection. Nil means that
    /// `clientCertificateFile` contains the key too.
    public var clientKeyFile: String?
    /// Headers of the requests to the servers of the sources, of the form `"Name: value"`. Default: none.
    public var headers: [String]
    /// The time limit for connecting to a server: name lookup, connection and TLS handshake. Nil means no limit.
    /// Default: 10 s.
    public var connectTimeout: Duration?
    /// The time after which a transfer below 100 bytes/s is cancelled. Nil means no limit. Default: 30 s.
    public var stallTimeout: Duration?
    /// The time limit of a request, except for attachments. Nil means no limit. Default: 120 s.
    public var totalTimeout: Duration?
    /// The largest decoded body of a response, in bytes, at most 256 MiB. Default: 16 MiB.
    public var maximumBodyBytes: Int
    /// Data becomes `.stale` when its last successful refresh is longer ago than this. Set it to three refresh
    /// intervals, for example, to notice that updates no longer arrive. Default: nil; `freshness` is then `.none`.
    public var maximumStale: Duration?
    /// The least severe level that `onLog` receives. Default: `.warning`.
    public var logLevel: LogLevel
    /// The thread on which callbacks run. Default: a thread of the client.
    public var callbacks: Callbacks
    /// Called with each log line, one call at a time, on the thread of callbacks. If the closure blocks, events and the
    /// results of calls such as `refresh` are late. Default: nil; the library itself never prints.
    public var onLog: (@Sendable (LogEntry) -> Void)?
    /// Called with the outcome and the cost of every refresh attempt, on the thread of callbacks. Default: nil.
    public var onAttempt: (@Sendable (Attempt) -> Void)?
    /// The transport that sends the requests of the client. Nil means libcurl.
    public var transport: (any HTTPTransport)?
    /// The clock of the client. Nil means the machine's clocks.
    public var clock: (any ClientClock)?

    /// Creates a configuration. The properties describe the parameters.
    public init(
      storageDirectory: String?, server: String? = nil, bucket: String? = nil, applicationName: String? = nil,
      applicationVersion: String? = nil, applicationBuild: String? = nil, userAgent: String? = nil,
      proxy: String? = nil, caFile: String? = nil, headers: [String] = [], connectTimeout: Duration? = .seconds(10),
      stallTimeout: Duration? = .seconds(30), totalTimeout: Duration? = .seconds(120),
      maximumBodyBytes: Int = 16 << 20, maximumStale: Duration? = nil, logLevel: LogLevel = .warning,
      callbacks: Callbacks = .thread,
      onLog: (@Sendable (LogEntry) -> Void)? = nil, onAttempt: (@Sendable (Attempt) -> Void)? = nil,
      transport: (any HTTPTransport)? = nil, clock: (any ClientClock)? = nil
    ) {
      self.storageDirectory = storageDirectory
      (self.server, self.bucket) = (server, bucket)
      (self.applicationName, self.applicationVersion) = (applicationName, applicationVersion)
      (self.applicationBuild, self.userAgent) = (applicationBuild, userAgent)
      (self.proxy, self.caFile, self.headers) = (proxy, caFile, headers)
      (self.connectTimeout, self.stallTimeout) = (connectTimeout, stallTimeout)
      (self.totalTimeout, self.maximumBodyBytes) = (totalTimeout, maximumBodyBytes)
      self.maximumStale = maximumStale
      (self.logLevel, self.callbacks) = (logLevel, callbacks)
      (self.onLog, self.onAttempt) = (onLog, onAttempt)
      (self.transport, self.clock) = (transport, clock)
    }
  }
}
