// SPDX-License-Identifier: Apache-2.0
//
// Checks of the options with which connections are opened, so that an option that cannot work is an error of the setup
// and not of each request.

/// Checks a proxy in libcurl's syntax: [scheme://][user[:password]@]host[:port], or unix: and the path of a socket, to
/// which requests are sent as to their server. An empty text means no proxy.
///
/// - Parameter name: The host's name of the option, for errors.
/// - Throws: `.invalidArgument` naming the option. The message contains no part of the proxy, which may be a password.
func validateProxy(_ proxy: String, of name: String) throws(RemoraError) {
  try validateHeaderValue(proxy, of: name)
  guard proxy.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
    throw .invalidArgument(name, "has a space or a non-ASCII character")
  }
  guard !proxy.isEmpty else { return }
  if let path = socketPath(ofProxy: proxy) {
    // The size of `sun_path`, with its NUL.
    guard path.hasPrefix("/"), path.utf8.count < 108 else {
      throw .invalidArgument(name, "has no absolute path of a socket of at most 107 bytes after unix:")
    }
    return
  }
  var rest = Substring(proxy)
  if let colon = rest.firstIndex(of: ":"), rest[colon...].hasPrefix("://") {
    guard proxySchemes.contains(rest[..<colon].lowercased()) else {
      throw .invalidArgument(name, "has a scheme that is not http, https, socks4, socks4a, socks5 or socks5h")
    }
    rest = rest[colon...].dropFirst(3)
  }
  let place = rest.prefix { !"/?#".contains($0) }.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
  let hostEnd = place.hasPrefix("[") ? place.firstIndex(of: "]").map(place.index(after:)) : place.firstIndex(of: ":")
  let host = place[..<(hostEnd ?? place.endIndex)]
  guard host.count > (place.hasPrefix("[") ? 2 : 0), !place.hasPrefix("[") || hostEnd != nil else {
    throw .invalidArgument(name, "has no valid host")
  }
  let port = place[host.endIndex...]
  guard port.isEmpty || port.hasPrefix(":") && port.count > 1 && UInt16(port.dropFirst()).map({ $0 > 0 }) == true else {
    throw .invalidArgument(name, "has no valid port")
  }
}

/// Returns the path of the socket to which requests are sent instead of to their servers; nil for another proxy.
func socketPath(ofProxy proxy: String?) -> String? {
  proxy.flatMap { $0.hasPrefix("unix:") ? String($0.dropFirst("unix:".count)) : nil }
}

private let proxySchemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

/// Checks that a file can be read and contains a certificate in PEM form.
///
/// - Parameter name: The host's name of the option, for errors.
/// - Throws: `.invalidArgument` naming the option.
func validateRoots(inFile path: String, of name: String) throws(RemoraError) {
  do throws(RemoraError) {
    let text = try readFile(path, limit: 16 << 20)
    guard text.contains(oneOf: ["-----BEGIN CERTIFICATE-----", "-----BEGIN TRUSTED CERTIFICATE-----"]) else {
      throw RemoraError(.storage, "\(path) has no certificate in PEM form")
    }
  } catch {
    throw .invalidArgument(name, "cannot be used: \(error.message)")
  }
}

/// Checks that a file can be read. Its content is checked by each connection, because the file may be replaced.
///
/// - Parameter name: The host's name of the option, for errors.
/// - Throws: `.invalidArgument` naming the option.
func requireReadable(_ path: String, of name: String) throws(RemoraError) {
  do throws(RemoraError) {
    _ = try readFile(path, limit: 16 << 20)
  } catch {
    throw .invalidArgument(name, "cannot be used: \(error.message)")
  }
}

extension [UInt8] {
  /// Whether one of the texts occurs at the beginning of a line.
  fileprivate func contains(oneOf texts: [String]) -> Bool {
    split(separator: UInt8(ascii: "\n")).contains { line in texts.contains { line.starts(with: $0.utf8) } }
  }
}
