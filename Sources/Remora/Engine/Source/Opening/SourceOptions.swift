// SPDX-License-Identifier: Apache-2.0
//
// What a host says of a source that is no business of its dialect.

/// What a source is opened with, whatever its kind.
package struct SourceOptions: Sendable {
  /// Compiled start values, if the host brings any.
  package var packaged: PackagedImage?
  /// Compiled default values, if the host brings any.
  package var defaults: DefaultValues?
  /// Whether each opening begins a refresh that nobody waits for.
  package var fetchesAtOpen = false
  /// Its folder of attachments.
  package var packagedAttachments: String?
  /// How often it is refreshed without being asked; nil is never.
  package var refreshIntervalMs: Int64?
  /// Whether overrides are stored, and read at the next open.
  package var persistsOverrides = false
  /// How long who waits for a fresh snapshot takes what is there.
  package var lifetime = Lifetime.none
  /// Whether it is refreshed at the end of that without being asked, while somebody subscribes.
  package var refreshesAtExpiry = false
  /// Whether it is kept in memory although its client has a storage directory.
  package var isMemoryOnly = false
  /// When what is fetched becomes live.
  package var activation = ActivationMode.immediate

  /// Those that the host set, by their names in the header, and that hold for the first opening only.
  package var given: [GivenOption] = []

  package init() {}

  /// What makes it due for a refresh that nobody asks for.
  var paces: [Pace] {
    let interval = refreshIntervalMs.map { [Pace.interval($0)] } ?? []
    return refreshesAtExpiry ? interval + [.expiry(lifetime)] : interval
  }

  /// What is live without any fetched data: the packaged data, the defaults, or nothing.
  func start(_ nothing: Snapshot) -> (image: Image, origin: Origin) {
    if let packaged { return (packaged.image, .packaged) }
    return defaults.map { ($0.image, .defaults) } ?? (nothing.base, .none)
  }
}
