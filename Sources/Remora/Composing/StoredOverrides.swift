// SPDX-License-Identifier: Apache-2.0
//
// Stored overrides: an image that has, for each key, an object of override texts by JSON Pointer. So they have an
// identity and a checksum like every other image, and texts of any nesting.

/// The overrides of a source in a storage directory.
struct StoredOverrides {
  /// The overrides; empty if they cannot be used.
  private(set) var list = OverrideList()
  /// The name under which they are stored; nil if there are none.
  private(set) var name: StorageName?
  /// Whether that is the name of an earlier identity.
  private(set) var isInherited = false
  /// The reason the overrides cannot be used.
  private(set) var problem: RemoraError?
  /// Whether reading failed, so that a later attempt may find usable overrides. The file must not be replaced
  /// meanwhile.
  private(set) var isUnread = false

  /// Reads the overrides of a source, or else those of the first earlier identity that has some; none without a
  /// directory.
  init(of dialect: any Dialect, in storage: StorageDirectory?) {
    guard let storage else { return }
    for identity in dialect.identities where name == nil {
      read(identity, in: storage)
      isInherited = name != nil && identity != dialect.identity
    }
  }

  private mutating func read(_ identity: String, in storage: StorageDirectory) {
    let name = StorageName(hashing: identity)
    var isLoaded = false
    do throws(RemoraError) {
      guard let buffer = try storage.readOverrides(name) else { return }
      self.name = name
      isLoaded = true
      list = try OverrideList(stored: Image(buffer), of: identity)
    } catch {
      self.name = name
      problem = error
      // A file that others can change is never used. If memory is exhausted, a valid file cannot be checked either.
      isUnread = isLoaded ? [.tooLarge, .unavailable].contains(error.code) : error.code != .permission
    }
  }
}

extension OverrideList {
  /// Reads the overrides in an image.
  ///
  /// - Throws: `.corrupt` if the image belongs to another source or contains anything else.
  package init(stored image: Image, of identity: String) throws(RemoraError) {
    self.init()
    guard image.metadata.identity == identity else {
      throw RemoraError(.corrupt, "the stored overrides belong to another source")
    }
    defer { withExtendedLifetime(image) {} }
    let reader = image.reader(over: nil)
    for index in 0..<reader.count {
      guard let entry = reader.entry(at: index) else { throw Self.damaged }
      for member in 0..<entry.value.count {
        guard let (pointer, value) = entry.value.member(at: member), let json = value.string else { throw Self.damaged }
        try set(Override(key: Array(entry.key), pointer: Array(pointer), json: Array(json)))
      }
    }
  }

  func image(of identity: String, hashSeed: HashSeed) throws(RemoraError) -> Image {
    var encoder = EntryEncoder()
    var places: [EntryPlace] = []
    for key in keys {
      var texts = EditableJSON(nil)
      for override in self[key] {
        var text = ByteBuffer()
        try override.json.withBytes { json throws(RemoraError) in try text.appendCanonical(string: json) }
        try texts.set(text.bytes, at: [override.pointer])
      }
      guard let object = texts.finish() else { continue }
      places.append(
        .made(try key.withBytes { key throws(RemoraError) in try encoder.append(key: key, object) }))
    }
    let own = try AdjustedEntries(encoder, places, of: nil)
    let metadata = ImageMetadata(identity: identity, version: 0, fetchedAtMs: 0)
    let image = try writeImage(metadata, entries: own.entries.map(ImageEntry.own), hashSeed: hashSeed)
    return withExtendedLifetime(own) { image }
  }

  private static var damaged: RemoraError { RemoraError(.corrupt, "the stored overrides are damaged") }
}
