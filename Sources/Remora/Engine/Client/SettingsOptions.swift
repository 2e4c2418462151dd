// SPDX-License-Identifier: Apache-2.0
//
// What a host says of a dictionary of settings.

/// The options of settings.
package struct SettingsOptions: Sendable {
  /// Where the SDK's settings are.
  package static let defaultURL = "https://settings.picsart.com/api/settings"

  /// Where they are.
  package var url = Self.defaultURL
  /// What the server is told of the user and the application, in its query; whoever has others has other settings.
  package var parameters: [(name: String, value: String)] = []
  /// The member of the document that holds the dictionary; nil when the document is it.
  package var rootKey: String?
  /// Which dictionary; nil is the main one.
  package var tag: String?
  /// The query item that names the tag.
  package var tagItem = "tag"
  /// Start values.
  package var packaged: PackagedData?
  /// When what is fetched becomes live; nil is the default: at once with a tag, and else at the next setup.
  package var activation: ActivationMode?
  /// How long who waits for a fresh snapshot takes what is there.
  package var lifetime = Lifetime.said
  /// Whether nothing of it is stored.
  package var isMemoryOnly = false
  package var opening = OpeningOptions()

  package init() {}
}

extension SettingsOptions {
  /// The longest tag, in bytes.
  private static let longestTag = 256

  /// The rules of the settings.
  ///
  /// - Throws: `.invalidArgument` naming the option.
  package func dialect() throws(RemoraError) -> SettingsDialect {
    try require(rootKey, "root_key")
    try require(tagItem, "tag_item")
    for parameter in parameters where parameter.name.isEmpty {
      throw .invalidArgument("request_params", "has an empty name")
    }
    if let tag {
      guard (1...Self.longestTag).contains(tag.utf8.count) else {
        throw .invalidArgument("tag", "has \(tag.utf8.count) bytes; 1 to \(Self.longestTag) are allowed")
      }
      guard !parameters.contains(where: { $0.name == tagItem }) else {
        throw .invalidArgument("request_params", "has a \(tagItem), which is the tag's")
      }
      guard activation == nil || activation == .immediate else {
        throw .invalidArgument("activation", "must be 0 or REMORA_ACTIVATION_IMMEDIATE with a tag")
      }
    }
    guard !isMemoryOnly || !opening.persistsOverrides else {
      throw .invalidArgument("persist_overrides", "must be 0 with memory_only")
    }
    let plain = try DocumentURL(url, as: "url")
    let asked = try DocumentURL(
      url, adding: parameters + (tag.map { [(name: tagItem, value: $0)] } ?? []), as: "request_params")
    return SettingsDialect(asked, identity: identity(of: plain), rootKey: rootKey, tag: tag)
  }

  /// What tells these settings from any others: never change it. Of the parameters it has a digest, because they may
  /// say who the user is, and identities are stored.
  private func identity(of document: DocumentURL) -> String {
    let parameters = parameters.map { "\(percentEncode($0.name))=\(percentEncode($0.value))" }
    let digest = parameters.isEmpty ? "none" : hexText(sha256(Array(parameters.joined(separator: "&").utf8)))
    let tagged = tag.map { "\(percentEncode(tagItem))=\(percentEncode($0))" } ?? "none"
    let root = rootKey.map(percentEncode) ?? ""
    return "kind settings\n\(document.identity)\nroot \(root)\nparameters \(digest)\ntag \(tagged)"
  }

  private func require(_ text: String?, _ name: String) throws(RemoraError) {
    guard let text else { return }
    guard (1...Self.longestTag).contains(text.utf8.count) else {
      throw .invalidArgument(name, "has \(text.utf8.count) bytes; 1 to \(Self.longestTag) are allowed")
    }
  }
}

extension SettingsDialect {
  /// Compiles packaged data: a document as the server would answer it. Anything that is fetched goes before it.
  ///
  /// - Throws: `.storage`, `.parse`, `.format` or `.tooLarge`.
  func compile(_ data: PackagedData, hashSeed: HashSeed) throws(RemoraError) -> PackagedImage {
    let (bytes, name) = try data.read()
    guard bytes.count <= PackagedData.maximumBytes else {
      throw RemoraError(.tooLarge, "\(name) has more than \(PackagedData.maximumBytes) bytes")
    }
    let document = try bytes.withBytes { bytes throws(RemoraError) in try decode(bytes, named: name) }
    let metadata = ImageMetadata(
      identity: identity, version: 0, fetchedAtMs: 0, mayHaveFilters: false)
    // It owns the memory of the entries.
    defer { withExtendedLifetime(document) {} }
    let entries = Draft(full: document).entries.lazy.map(ImageEntry.own)
    return PackagedImage(image: try writeImage(metadata, entries: entries, hashSeed: hashSeed))
  }
}
