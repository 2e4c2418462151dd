// SPDX-License-Identifier: Apache-2.0
//
// The URLs of attachments: the server's root document has the base URL, and a record has the relative location.
// Invariant: https, or plain http among loopback addresses; and never outside the base that the server states.

/// The rules for one server's attachments.
package struct AttachmentRules: Sendable {
  /// The base of the server's URLs, without a final slash.
  private let server: ParsedURL

  package init(server: ParsedURL) { self.server = server }

  /// Reads the attachment metadata of an entry; nil if it has no attachment.
  package func metadata(of entry: Entry) throws(RemoraError) -> AttachmentMetadata? {
    try AttachmentMetadata(of: entry)
  }

  /// Returns the bytes of the location in an entry, whether or not it can be used.
  package func location(of entry: Entry) -> UnsafeRawBufferPointer? {
    entry.value.member("attachment")?.member("location")?.string
  }

  /// Returns the request for the server's root document.
  package func root() throws(RemoraError) -> Gather {
    Gather(.document(since: nil), at: try ParsedURL("\(server)/", as: "server"))
  }

  /// Reads the base URL of attachments from a root document; its path ends with a slash.
  ///
  /// - Throws: `.parse`; `.format` if the base URL is missing or not allowed.
  package func base(in document: UnsafeRawBufferPointer) throws(RemoraError) -> ParsedURL {
    let name = "base_url of the attachments of \(server.originText)"
    guard let text = try announcedBase(document) else {
      throw .format("the server \(server.originText)", "does not state the base URL of attachments")
    }
    let url: ParsedURL
    do throws(RemoraError) {
      url = try ParsedURL(text, as: name)
    } catch {
      throw RemoraError(.format, error.message)
    }
    guard url.query == nil else { throw .format(name, "has a query") }
    guard url.scheme == .https || (url.isPlainLoopback && server.isPlainLoopback) else {
      throw .format(name, "uses plain http for \(url.host.text); only https is allowed")
    }
    guard url.path.utf8.last != UInt8(ascii: "/") else { return url }
    return try url.replacing(path: Array(url.path.utf8) + [UInt8(ascii: "/")], as: name)
  }

  /// Returns the request for an attachment.
  package func gather(_ location: String, under base: ParsedURL) throws(RemoraError) -> Gather {
    var path = Array(base.path.utf8)
    for byte in location.utf8 {
      if isPathByte(byte) { path.append(byte) } else { path += percentEncoded(byte) }
    }
    let url: ParsedURL
    do throws(RemoraError) {
      url = try base.replacing(path: path, as: "the attachment's location")
    } catch {
      throw RemoraError(.format, error.message)
    }
    return Gather(.document(since: nil), at: url, isOwnOrigin: url.hasSameOrigin(as: server))
  }

  private func announcedBase(_ document: UnsafeRawBufferPointer) throws(RemoraError) -> String? {
    var root = RootDocument(name: "the root document of \(server.originText)")
    try JSONReader.read(document, named: root.name, &root)
    return root.attachmentBase
  }
}

/// The member of a server's root document that attachments need.
private struct RootDocument: JSONVisitor {
  /// The name of the document in messages.
  let name: String
  private(set) var attachmentBase: String?

  init(name: String) { self.name = name }

  mutating func enter(_ place: JSONPlace, _ type: ValueType) -> Bool {
    if case .document = place { type == .object } else { false }
  }

  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) throws(RemoraError) {
    switch place {
    case .member("capabilities", _):
      attachmentBase = value.read { $0.member("attachments")?.member("base_url")?.string }
    case .document: throw .format(name, "is not a JSON object")
    default: break
    }
  }
}

/// Whether a byte of a location needs no escape in a URL. A percent sign is part of an existing escape.
private func isPathByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "%"): true
  default: isUnreserved(byte) || isSubDelimiter(byte)
  }
}
