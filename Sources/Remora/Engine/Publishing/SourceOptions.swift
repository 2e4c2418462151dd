// SPDX-License-Identifier: Apache-2.0
//
// The options of a source that do not concern its dialect.

/// The options of a source of any kind.
package struct SourceOptions: Sendable {
  /// The compiled packaged data, if the host has any.
  package var packaged: PackagedImage?
  /// The compiled default values, if the host has any.
  package var defaults: DefaultValues?
  /// Whether each opening starts a refresh in the background.
  package var fetchesAtOpen = false
  package var packagedAttachments: String?
  /// The interval of automatic refreshes; nil means none.
  package var refreshIntervalMs: Int64?
  /// Whether overrides are stored, and read at the next opening.
  package var persistsOverrides = false
  /// How long fetched data counts as fresh for callers that wait for a fresh snapshot.
  package var lifetime = Lifetime.none
  /// Whether an automatic refresh follows when that time is over, while there is a subscriber.
  package var refreshesAtExpiry = false
  /// Whether the source is kept in memory although its client has a storage directory.
  package var isMemoryOnly = false
  package var activation = ActivationMode.immediate
  /// What fetched data must have to be accepted.
  package var shape = DocumentShape()

  /// The options that the host set and that only the first opening can set, by their names in the C header.
  package var given: [GivenOption] = []

  package init() {}

  /// Returns the options of a tag of settings with these options. The tag has no packaged data, and opening it starts
  /// no refresh.
  ///
  /// - Parameter lifetime: How long data of the tag is fresh; nil means as in the settings.
  func ofTag(_ lifetime: Lifetime?) -> SourceOptions {
    var tag = SourceOptions()
    tag.lifetime = lifetime ?? self.lifetime
    tag.refreshesAtExpiry = tag.lifetime != .none
    tag.isMemoryOnly = isMemoryOnly
    tag.persistsOverrides = persistsOverrides
    let inherited = ["memory_only", "persist_overrides"] + (lifetime == nil ? ["ttl_ms"] : [])
    tag.given = given.filter { inherited.contains($0.name) }
    tag.note("ttl_ms", lifetime.map { "\($0)" })
    return tag
  }

  var paces: [Pace] {
    let interval = refreshIntervalMs.map { [Pace.interval($0)] } ?? []
    return refreshesAtExpiry ? interval + [.expiry(lifetime)] : interval
  }

  /// Returns the data with which a source starts: the newer of cached and packaged data, the defaults, or nothing.
  func choice(of cached: Image?, _ nothing: Snapshot) -> (image: Image, origin: Origin) {
    if let cached, cached.metadata.version >= packaged?.image.metadata.version ?? .min { return (cached, .cached) }
    return start(nothing)
  }

  /// Returns the live data without any fetch: the packaged data, the defaults, or nothing.
  func start(_ nothing: Snapshot) -> (image: Image, origin: Origin) {
    if let packaged { return (packaged.image, .packaged) }
    return defaults.map { ($0.image, .defaults) } ?? (nothing.base, .none)
  }
}

// The options that only the first opening of a source can set. A later opening with other values gets a handle of the
// open source, and a warning that names the options without effect.

/// An option that the host set, in a comparable form.
package struct GivenOption: Equatable, Sendable {
  /// The name of the option in the C header.
  let name: String
  /// A text that identifies the value.
  let value: String
}

extension SourceOptions {
  /// Records an option, unless it is nil because the host kept the default.
  mutating func note(_ name: StaticString, _ value: String?) {
    if let value { given.append(GivenOption(name: "\(name)", value: value)) }
  }

  /// Returns the names of the options that have no effect, because the source was opened with `first`.
  package func ignored(comparedWith first: SourceOptions) -> [String] {
    given.filter { !first.given.contains($0) }.map(\.name)
  }
}
