// SPDX-License-Identifier: Apache-2.0

/// The options that a host sets when it creates a client.
package struct ClientOptions: Sendable {
  /// The directory for images; nil keeps everything in memory.
  package var storage: StorageDirectory?
  package var transportOptions = TransportOptions()
  /// The default server and bucket of its collections.
  package private(set) var server = "prod"
  package private(set) var bucket = "main"
  package var callbacks = CallbackPlace.thread
  /// The age of the last successful refresh at which data becomes stale; nil means no limit.
  package var maxStaleMs: Int64?
  package var clock: any Clock = SystemClock()
  /// Returns random numbers, for the jitter of schedules.
  package var random: @Sendable () -> UInt32 = { .random(in: 0 ... .max) }
  /// The transport; nil means libcurl.
  package var transport: (any Transport)?

  package init(storage: StorageDirectory?) { self.storage = storage }

  /// Creates the options of a host.
  ///
  /// - Parameters:
  ///   - path: The storage directory, which is created if it is missing; nil keeps everything in memory.
  ///   - server: The default server of collections; nil means "prod".
  ///   - bucket: The default bucket of collections; nil means "main".
  /// - Throws: The errors of `setCollectionDefaults` and `StorageDirectory.open`.
  package init(
    storagePath path: String?, server: String?, bucket: String?, _ transportOptions: TransportOptions,
    callbacks: CallbackPlace = .thread
  ) throws(RemoraError) {
    try setCollectionDefaults(server: server, bucket: bucket)
    self.transportOptions = transportOptions
    self.callbacks = callbacks
    storage = try path.map { path throws(RemoraError) in try StorageDirectory.open(path: path) }
  }

  /// Sets the default server and bucket of collections; nil leaves a value unchanged.
  ///
  /// - Throws: `.invalidArgument` naming `server` or `bucket`, if no collection could use it.
  package mutating func setCollectionDefaults(server: String?, bucket: String? = nil) throws(RemoraError) {
    let (server, bucket) = (server ?? self.server, bucket ?? self.bucket)
    _ = try CollectionServer(server)
    try CollectionDialect.requireName(bucket, "bucket")
    (self.server, self.bucket) = (server, bucket)
  }
}
