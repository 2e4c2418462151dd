// SPDX-License-Identifier: Apache-2.0
//
// Absolute http and https URLs: the one reading of them, at setup (when libcurl is not loaded) as on the wire.
// Invariant: a ParsedURL holds no credentials, fragment, space or control byte, and its text parses to itself.

/// An absolute http or https URL in its one spelling.
package struct ParsedURL: Hashable, Sendable, CustomStringConvertible {
  /// The protocols that Remora speaks.
  package enum Scheme: String, Sendable {
    case http, https

    /// The port that a URL of this scheme means without one.
    package var defaultPort: UInt16 { self == .https ? 443 : 80 }
  }

  /// Longer texts are refused.
  package static let longest = 8192

  /// The scheme.
  package let scheme: Scheme
  /// The host.
  package let host: HostName
  /// The port, the scheme's default included.
  package let port: UInt16
  /// The path; begins with a slash and has no dot segments, as libcurl would send it.
  package let path: String
  /// What follows the question mark, or nil without one.
  package let query: String?

  /// Reads an absolute URL.
  ///
  /// - Parameter name: The argument or header for the error's text, such as `server`.
  /// - Throws: `.invalidArgument` that says what is wrong, without the text itself.
  package init(_ text: String, as name: String = "the URL") throws(RemoraError) {
    self = try ParsedURL(URLReference(text, as: name), as: name)
  }

  /// Takes a reference that has a scheme and a host.
  init(_ reference: URLReference, as name: String) throws(RemoraError) {
    guard let schemeText = reference.scheme, let scheme = Scheme(rawValue: schemeText.lowercased()) else {
      throw .invalidArgument(name, "does not begin with http:// or https://")
    }
    guard let authority = reference.authority else {
      throw .invalidArgument(name, "has no host")
    }
    guard reference.fragment == nil else {
      throw .invalidArgument(name, "has a fragment (#)")
    }
    let (host, port) = try splitAuthority(authority, as: name)
    self.init(
      scheme: scheme, host: host, port: port ?? scheme.defaultPort, path: String(reference.path),
      query: reference.query.map(String.init))
  }

  private init(scheme: Scheme, host: HostName, port: UInt16, path: String, query: String?) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = removingDotSegments(path)
    self.query = query
  }

  /// Resolves a reference, such as a Location header, by RFC 3986 section 5.2. Its fragment is dropped.
  ///
  /// - Throws: `.invalidArgument` when the reference is malformed or leads to another scheme than http or https.
  package func resolving(_ text: String, as name: String = "the location") throws(RemoraError) -> ParsedURL {
    var reference = try URLReference(text, as: name)
    reference.fragment = nil
    if reference.scheme != nil || reference.authority != nil {
      reference.scheme = reference.scheme ?? scheme.rawValue[...]
      return try ParsedURL(reference, as: name)
    }
    let query = reference.query.map(String.init)
    if reference.path.isEmpty {
      return replacing(path: path, query: query ?? self.query)
    }
    if reference.path.first == "/" {
      return replacing(path: String(reference.path), query: query)
    }
    let directory = String(path.lastIndex(of: "/").map { path[...$0] } ?? "/")
    return replacing(path: directory + reference.path, query: query)
  }

  /// The whole URL; parses to an equal one.
  package var description: String { originText + path + (query.map { "?\($0)" } ?? "") }

  /// Scheme, host and port only: safe for logs and error texts.
  package var originText: String {
    "\(scheme.rawValue)://\(host.text)" + (port == scheme.defaultPort ? "" : ":\(port)")
  }

  /// Whether both have the same scheme, host and effective port.
  package func hasSameOrigin(as other: ParsedURL) -> Bool {
    scheme == other.scheme && host == other.host && port == other.port
  }

  private func replacing(path: String, query: String?) -> ParsedURL {
    ParsedURL(scheme: scheme, host: host, port: port, path: path, query: query)
  }
}

/// Encodes a text as one path segment or query value: all but unreserved characters become `%XX`.
///
/// The segments `.` and `..` stay what they are; refuse them before.
package func percentEncode(_ segment: String) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var out: [UInt8] = []
  for byte in segment.utf8 {
    if isUnreserved(byte) {
      out.append(byte)
    } else {
      out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: out, as: UTF8.self)
}

/// Splits "host" or "host:port".
private func splitAuthority(
  _ authority: Substring, as name: String
) throws(RemoraError) -> (HostName, UInt16?) {
  guard !authority.utf8.contains(UInt8(ascii: "@")) else {
    throw .invalidArgument(name, "has a user name or password in it")
  }
  let hostEnd: Substring.Index
  if authority.first == "[" {
    hostEnd = authority.firstIndex(of: "]").map(authority.index(after:)) ?? authority.endIndex
  } else {
    hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
  }
  guard let host = HostName(authority[..<hostEnd]) else {
    throw .invalidArgument(name, "has no valid host")
  }
  let rest = authority[hostEnd...]
  if rest.isEmpty { return (host, nil) }
  let digits = rest.dropFirst()
  guard rest.first == ":", (1...5).contains(digits.utf8.count), digits.first != "0",
    digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = UInt16(digits)
  else {
    throw .invalidArgument(name, "has no valid port")
  }
  return (host, port)
}

/// RFC 3986 section 5.2.4 for a path that is empty or begins with a slash.
private func removingDotSegments(_ path: String) -> String {
  let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
  var out: [Substring] = []
  for segment in segments {
    switch segment {
    case ".": continue
    case "..": _ = out.popLast()
    default: out.append(segment)
    }
  }
  // A dot segment at the end names a directory.
  if let last = segments.last, last == "." || last == ".." { out.append("") }
  return "/" + out.joined(separator: "/")
}
