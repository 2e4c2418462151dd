// SPDX-License-Identifier: Apache-2.0
//
// The metadata of an attachment in its record, checked before use.
// Invariant: a location stays below the server's attachment URL, whether decoded or not.

/// An attachment as its record describes it.
package struct AttachmentMetadata: Sendable, Equatable {
  /// Its SHA-256: 64 lower-case hexadecimal digits.
  package let sha256: String
  package let bytes: Int
  /// The location relative to the server's attachment URL, exactly as in the record.
  package let location: String

  /// Reads the metadata in a record; nil if the record has no attachment.
  ///
  /// - Throws: `.format` naming the record and the member.
  package init?(of record: Entry) throws(RemoraError) {
    guard let attachment = record.value.member("attachment"), attachment.type != .null else { return nil }
    func malformed(_ member: String, _ problem: String) -> RemoraError {
      RemoraError(.format, "\(member) of record \(String(decoding: record.key, as: UTF8.self)) \(problem)")
    }
    guard attachment.type == .object else { throw malformed("attachment", "is not an object") }
    guard let hash = Self.sha256(of: attachment) else {
      throw malformed("attachment.hash", "is not a SHA-256 of 64 hexadecimal digits")
    }
    let size = attachment.member("size")
    guard let size, size.type == .int, let bytes = size.int.flatMap(Int.init(exactly:)), bytes >= 0 else {
      throw malformed("attachment.size", "is not a number of bytes")
    }
    guard let location = attachment.member("location")?.string else {
      throw malformed("attachment.location", "is not a string")
    }
    if let problem = problem(of: location) { throw malformed("attachment.location", problem) }
    sha256 = hash
    self.bytes = bytes
    self.location = String(decoding: location, as: UTF8.self)
  }

  /// Returns the digest of a record's attachment without checking the other members; nil if it is absent.
  package static func sha256(ofRecord record: Value) -> String? { record.member("attachment").flatMap(sha256(of:)) }

  private static func sha256(of attachment: Value) -> String? {
    guard let digits = attachment.member("hash")?.string, digits.count == 64, digits.allSatisfy(isHexDigit) else {
      return nil
    }
    return String(decoding: digits.map(lowercased), as: UTF8.self)
  }
}

/// Returns the reason a location cannot be used, as words that follow its name; nil if it can.
private func problem(of location: UnsafeRawBufferPointer) -> String? {
  if location.isEmpty { return "is empty" }
  // Each byte may become three in the URL, which has a limit of its own.
  if location.count > 2048 { return "is longer than 2048 bytes" }
  if location.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
    return "has a query or a fragment"
  }
  if location.prefix(while: { $0 != UInt8(ascii: "/") }).contains(UInt8(ascii: ":")) {
    return "begins with a URL scheme"
  }
  guard let decoded = percentDecoded(location) else { return "has an invalid percent escape" }
  if decoded.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) {
    return "has a backslash or a control character"
  }
  let segments = decoded.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
  if segments.first?.isEmpty == true { return "begins with a slash" }
  if segments.contains(where: { isEqual($0, ".") || isEqual($0, "..") }) {
    return "contains a segment that is \".\" or \"..\""
  }
  return nil
}
