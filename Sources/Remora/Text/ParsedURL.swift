// SPDX-License-Identifier: Apache-2.0
//
// Parses absolute http and https URLs, in the same way for setup (when libcurl is not loaded) and for requests.
// Invariant: a ParsedURL contains no credentials, fragment, space or control byte, and its text parses to itself.

/// An absolute http or https URL in canonical spelling.
package struct ParsedURL: Hashable, Sendable, CustomStringConvertible {
  package enum Scheme: String, Sendable {
    case http, https

    /// The port of URLs of this scheme that state none.
    package var defaultPort: UInt16 { self == .https ? 443 : 80 }

    /// Parses a scheme of either case; nil for any other scheme.
    fileprivate init?(_ bytes: ArraySlice<UInt8>) {
      let name = bytes.map(lowercased)[...]
      if isEqual(name, "https") {
        self = .https
      } else if isEqual(name, "http") {
        self = .http
      } else {
        return nil
      }
    }
  }

  /// The maximum length of a URL.
  package static let longest = 8192

  package let scheme: Scheme
  package let host: HostName
  /// The port, which may be the scheme's default.
  package let port: UInt16
  /// The path; begins with a slash and has no dot segments, as libcurl would send it.
  package let path: String
  /// The text after the question mark; nil if there is none.
  package let query: String?

  /// Parses an absolute URL.
  ///
  /// - Parameter name: The argument or header for the error message, such as `server`.
  /// - Throws: `.invalidArgument` with the problem, without the URL.
  package init(_ text: String, as name: String = "the URL") throws(RemoraError) {
    let reference = try URLReference(text, as: name)
    guard !reference.hasFragment else { throw .invalidArgument(name, "has a fragment (#)") }
    self = try ParsedURL(reference, as: name)
  }

  /// Takes a reference with a host, and with a scheme unless `scheme` completes it. Its fragment is dropped.
  private init(_ reference: URLReference, completedBy scheme: Scheme? = nil, as name: String) throws(RemoraError) {
    guard let scheme = reference.scheme.map(Scheme.init(_:)) ?? scheme else {
      throw .invalidArgument(name, "does not begin with http:// or https://")
    }
    guard let authority = reference.authority else {
      throw .invalidArgument(name, "has no host")
    }
    let (host, port) = try splitAuthority(authority, as: name)
    self.init(
      scheme: scheme, host: host, port: port ?? scheme.defaultPort, path: reference.path,
      query: reference.query.map { String(decoding: $0, as: UTF8.self) })
  }

  /// Whether a text is an absolute URI (RFC 3986) of any scheme, with or without a fragment. An http or https URL must
  /// also have a valid host, and neither user name nor password.
  package static func isAbsolute(_ text: String) -> Bool {
    do throws(RemoraError) {
      let reference = try URLReference(text, as: "the URL")
      guard let scheme = reference.scheme else { return false }
      guard Scheme(scheme) != nil else { return reference.hasValidAuthority }
      _ = try ParsedURL(reference, as: "the URL")
      return true
    } catch {
      return false
    }
  }

  private init(scheme: Scheme, host: HostName, port: UInt16, path: ArraySlice<UInt8>, query: String?) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = removingDotSegments(path)
    self.query = query
  }

  /// Resolves a reference, such as a Location header, by RFC 3986 section 5.2. Its fragment is dropped.
  ///
  /// - Throws: `.invalidArgument` if the reference is malformed, or its scheme is neither http nor https.
  package func resolving(_ text: String, as name: String = "the location") throws(RemoraError) -> ParsedURL {
    let reference = try URLReference(text, as: name)
    if reference.scheme != nil || reference.authority != nil {
      return try ParsedURL(reference, completedBy: scheme, as: name)
    }
    let query = reference.query.map { String(decoding: $0, as: UTF8.self) }
    let own = Array(path.utf8)[...]
    if reference.path.isEmpty {
      return replacing(path: own, query: query ?? self.query)
    }
    if reference.path.first == UInt8(ascii: "/") {
      return replacing(path: reference.path, query: query)
    }
    let directory = own.prefix(through: own.lastIndex(of: UInt8(ascii: "/")) ?? 0)
    return replacing(path: directory + reference.path, query: query)
  }

  /// The whole URL; parses to an equal one.
  package var description: String {
    var text = originText(room: path.utf8.count + (query?.utf8.count ?? 0) + 1)
    text += path
    if let query {
      text += "?"
      text += query
    }
    return text
  }

  /// Scheme, host and port only: safe for logs and error messages.
  package var originText: String { originText(room: 0) }

  /// The URL in a log line. Values in the query are left out, because they may be secrets.
  package var logText: String {
    let names = (query ?? "").split(separator: "&").map { part in
      part.contains("=") ? "\(part.prefix { $0 != "=" })=…" : "…"
    }
    let query = names.isEmpty ? "" : "?" + names.joined(separator: "&")
    return printable("\(originText)\(path)\(query)")
  }

  /// Returns the origin, in a string with capacity for more text: avoiding a reallocation saves time at process start.
  private func originText(room: Int) -> String {
    var text = ""
    text.reserveCapacity("https://:65535".utf8.count + host.text.utf8.count + room)
    text += scheme.rawValue
    text += "://"
    text += host.text
    if port != scheme.defaultPort { text += ":\(port)" }
    return text
  }

  /// Whether both have the same scheme, host and effective port.
  package func hasSameOrigin(as other: ParsedURL) -> Bool {
    scheme == other.scheme && host == other.host && port == other.port
  }

  /// Returns the URL with another path, of bytes that are valid in a path, and without a query.
  ///
  /// - Throws: `.invalidArgument` if the URL becomes too long.
  func replacing(path: [UInt8], as name: String) throws(RemoraError) -> ParsedURL {
    guard originText.utf8.count + path.count <= Self.longest else { throw Self.tooLong(name) }
    return replacing(path: path[...], query: nil)
  }

  /// Returns the error for a text longer than `longest`.
  static func tooLong(_ name: String) -> RemoraError { .invalidArgument(name, "is longer than \(longest) bytes") }

  private func replacing(path: ArraySlice<UInt8>, query: String?) -> ParsedURL {
    ParsedURL(scheme: scheme, host: host, port: port, path: path, query: query)
  }
}

/// Splits "host" or "host:port".
private func splitAuthority(
  _ authority: ArraySlice<UInt8>, as name: String
) throws(RemoraError) -> (HostName, UInt16?) {
  guard !authority.contains(UInt8(ascii: "@")) else {
    throw .invalidArgument(name, "has a user name or password in it")
  }
  let hostEnd: Int
  if authority.first == UInt8(ascii: "[") {
    hostEnd = authority.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? authority.endIndex
  } else {
    hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
  }
  guard let host = HostName(authority[..<hostEnd]) else {
    throw .invalidArgument(name, "has no valid host")
  }
  let rest = authority[hostEnd...]
  if rest.isEmpty { return (host, nil) }
  guard rest.first == UInt8(ascii: ":"), let port = portNumber(rest.dropFirst()) else {
    throw .invalidArgument(name, "has no valid port")
  }
  return (host, port)
}

/// Parses a port of one to five digits, the first of them not 0.
private func portNumber(_ digits: ArraySlice<UInt8>) -> UInt16? {
  guard digits.count >= 1, digits.count <= 5, digits.first != UInt8(ascii: "0"), digits.allSatisfy(isDigit) else {
    return nil
  }
  return UInt16(exactly: digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
}

/// Removes dot segments by RFC 3986 section 5.2.4, from a path that is empty or begins with a slash.
private func removingDotSegments(_ path: ArraySlice<UInt8>) -> String {
  let slash = UInt8(ascii: "/")
  var out: [UInt8] = []
  var rest = path
  while !rest.isEmpty {
    // A slash and the segment after it.
    let end = rest.dropFirst().firstIndex(of: slash) ?? rest.endIndex
    let segment = rest[..<end]
    rest = rest[end...]
    let isParent = isEqual(segment, "/..")
    if isParent { out.removeLast(out.count - (out.lastIndex(of: slash) ?? 0)) }
    if isParent || isEqual(segment, "/.") {
      // A dot segment at the end names a directory.
      if rest.isEmpty { out.append(slash) }
    } else {
      out += segment
    }
  }
  return out.isEmpty ? "/" : String(decoding: out, as: UTF8.self)
}

extension ParsedURL {
  /// Returns the URL with additional query items, which are encoded.
  ///
  /// - Throws: `.invalidArgument` naming the option, if the URL becomes too long.
  package func adding(_ items: [(name: String, value: String)], as name: String) throws(RemoraError) -> ParsedURL {
    let added = items.map { "\(percentEncode($0.name))=\(percentEncode($0.value))" }.joined(separator: "&")
    let separator =
      switch query {
      case nil: "?"
      case ""?: ""
      default: "&"
      }
    let text = description + separator + added
    guard text.utf8.count <= Self.longest else {
      throw .invalidArgument(name, "is longer than \(Self.longest) bytes with the query items that are added to it")
    }
    return try ParsedURL(text, as: name)
  }
}

/// Encodes a text as one path segment or query value: all but unreserved characters become `%XX`.
///
/// The segments `.` and `..` are unchanged; the caller must refuse them.
package func percentEncode(_ segment: String) -> String {
  var out: [UInt8] = []
  for byte in segment.utf8 {
    if isUnreserved(byte) { out.append(byte) } else { out += percentEncoded(byte) }
  }
  return String(decoding: out, as: UTF8.self)
}

/// Percent-decodes a part of a URL; nil if an escape is malformed.
package func percentDecoded(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
  var decoded: [UInt8] = []
  var index = 0
  while index < text.count {
    if text[index] == UInt8(ascii: "%") {
      guard index + 2 < text.count, let high = hexValue(text[index + 1]), let low = hexValue(text[index + 2]) else {
        return nil
      }
      decoded.append(high << 4 | low)
      index += 3
    } else {
      decoded.append(text[index])
      index += 1
    }
  }
  return decoded
}

/// Returns the `%XX` form of one byte.
func percentEncoded(_ byte: UInt8) -> [UInt8] {
  let digits = Array("0123456789ABCDEF".utf8)
  return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
}
