// SPDX-License-Identifier: Apache-2.0
//
// The options of a settings dictionary, and their conversion to a dialect.

package struct SettingsOptions: Sendable {
  /// The URL of the SDK's settings.
  package static let defaultURL = "https://settings.picsart.com/api/settings"

  package var url = Self.defaultURL
  /// The query items that describe the user and the application to the server. Settings with other items are another
  /// source.
  package var parameters: [(name: String, value: String)] = []
  /// The member of the document that contains the dictionary; nil if the document is the dictionary.
  package var rootKey: String?
  /// The tag of the dictionary; nil means the main dictionary.
  package var tag: String?
  /// The name of the query item that contains the tag.
  package var tagItem = "tag"
  package var packaged: PackagedData?
  /// When fetched data becomes live; nil means immediately with a tag, else at the next setup.
  package var activation: ActivationMode?
  /// How long fetched data counts as fresh for callers that wait for a fresh snapshot.
  package var lifetime = Lifetime.said
  package var isMemoryOnly = false
  package var opening = OpeningOptions()

  package init() {}
}

extension SettingsOptions {
  /// The maximum length of `tag`, `root_key` and `tag_item`, in bytes.
  private static let longestTag = 256

  /// Returns the rules of the settings.
  ///
  /// - Throws: `.invalidArgument` naming the option.
  package func dialect() throws(RemoraError) -> SettingsDialect {
    try require(rootKey, "root_key")
    try require(tagItem, "tag_item")
    for parameter in parameters where parameter.name.isEmpty {
      throw .invalidArgument("request_params", "has a parameter with an empty name")
    }
    if let tag {
      guard (1...Self.longestTag).contains(tag.utf8.count) else {
        throw .invalidArgument("tag", "has \(tag.utf8.count) bytes; 1 to \(Self.longestTag) are allowed")
      }
      guard !parameters.contains(where: { $0.name.utf8.elementsEqual(tagItem.utf8) }) else {
        throw .invalidArgument("request_params", "must not have the parameter \"\(tagItem)\", which Remora adds itself")
      }
      guard activation == nil || activation == .immediate else {
        throw .invalidArgument("activation", "must be immediate for settings of a tag")
      }
    }
    guard !isMemoryOnly || !opening.persistsOverrides else {
      throw .invalidArgument("persist_overrides", "must be off for settings in memory, because nothing is stored")
    }
    let plain = try DocumentURL(url, as: "url")
    let asked = try DocumentURL(
      url, adding: parameters + (tag.map { [(name: tagItem, value: $0)] } ?? []), as: "request_params")
    return SettingsDialect(
      asked, identity: identity(of: plain), rootKey: rootKey, tag: tag, tags: tag == nil ? tagRules : nil)
  }

  /// Makes the rules of a tag of these settings. Keeps no packaged data, whose memory is the caller's.
  private var tagRules: SettingsDialect.TagRules {
    var ofTag = SettingsOptions()
    (ofTag.url, ofTag.parameters, ofTag.rootKey, ofTag.tagItem) = (url, parameters, rootKey, tagItem)
    return { [ofTag] tag throws(RemoraError) in
      var options = ofTag
      options.tag = tag
      return try options.dialect()
    }
  }

  /// Returns the text that identifies these settings; its format must never change. It contains a digest of the
  /// parameters, because identities are stored and the parameters may identify the user.
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
