// SPDX-License-Identifier: Apache-2.0
//
// What a host decides about a client when it makes one.

/// What a client is made with.
package struct ClientOptions: Sendable {
  /// Where images are; nil keeps everything in memory.
  package var storage: StorageDirectory?
  /// Limits and headers of its requests.
  package var transportOptions = TransportOptions()
  /// Default server and bucket of its collections.
  package private(set) var server = "prod"
  package private(set) var bucket = "main"
  /// Where callbacks run.
  package var callbacks = CallbackPlace.thread
  /// Wall time.
  package var clock: any Clock = SystemClock()
  /// Draws the parts of intervals.
  package var random: @Sendable () -> UInt32 = { .random(in: 0 ... .max) }
  /// How bytes are fetched; nil is libcurl.
  package var transport: (any Transport)?

  package init(storage: StorageDirectory?) { self.storage = storage }

  /// Changes where its collections are by default; nil leaves what is there.
  ///
  /// - Throws: `.invalidArgument` naming `server` or `bucket`, which no collection could use.
  package mutating func setCollectionDefaults(server: String?, bucket: String? = nil) throws(RemoraError) {
    let (server, bucket) = (server ?? self.server, bucket ?? self.bucket)
    _ = try CollectionServer(server)
    try CollectionDialect.requireName(bucket, "bucket")
    (self.server, self.bucket) = (server, bucket)
  }
}
