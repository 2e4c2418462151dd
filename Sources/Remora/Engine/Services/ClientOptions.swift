// SPDX-License-Identifier: Apache-2.0
//
// The options of a client.

/// The options that a host sets when it creates a client.
package struct ClientOptions: Sendable {
  /// The directory for images; nil keeps everything in memory.
  package var storage: StorageDirectory?
  /// The limits and headers of its requests.
  package var transportOptions = TransportOptions()
  /// The default server and bucket of its collections.
  package private(set) var server = "prod"
  package private(set) var bucket = "main"
  /// The place where callbacks run.
  package var callbacks = CallbackPlace.thread
  /// The source of wall time.
  package var clock: any Clock = SystemClock()
  /// Returns random numbers, for the jitter of schedules.
  package var random: @Sendable () -> UInt32 = { .random(in: 0 ... .max) }
  /// The transport; nil means libcurl.
  package var transport: (any Transport)?

  package init(storage: StorageDirectory?) { self.storage = storage }

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
