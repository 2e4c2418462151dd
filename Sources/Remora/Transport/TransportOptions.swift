// SPDX-License-Identifier: Apache-2.0
//
// The network options of a client, which each of its requests has.

/// The options of all requests of a client: proxy, TLS roots, headers, timeouts and the body limit.
///
/// The functions that set text to be sent over the network check this text, so that transports need not.
package struct TransportOptions: Sendable, Equatable {
  /// The proxy in libcurl's syntax, or unix: and the path of a socket; nil means no proxy. The environment is never
  /// read.
  package private(set) var proxy: String?
  /// A PEM file of TLS roots; nil means libcurl's default.
  package private(set) var caFile: String?
  /// The PEM files of the client's certificate and its key, read for each connection; nil means no certificate.
  package private(set) var clientCertificate: ClientCertificate?
  /// Lines "Name: value", each accepted by `validateHeader`.
  package private(set) var headers: [String] = []
  /// The value of the User-Agent header.
  package private(set) var userAgent = "remora"
  /// Whether `userAgent` names no application.
  package var hasAnonymousUserAgent = false
  /// The time limit of name lookup, connection and TLS handshake; -1 means no limit.
  package var connectTimeoutMs: Int64
  /// The time, in whole seconds (rounded up), after which a transfer below 100 bytes/s is ended; -1 means no limit.
  package var stallTimeoutMs: Int64
  /// The time limit of the whole transfer; -1 means no limit.
  package var totalTimeoutMs: Int64
  /// The maximum size of a body after decoding; one byte more is `.tooLarge`.
  package var maxBodyBytes: Int

  /// Creates options with the defaults of the C header.
  package init(
    connectTimeoutMs: Int64 = 10_000, stallTimeoutMs: Int64 = 30_000,
    totalTimeoutMs: Int64 = 120_000, maxBodyBytes: Int = 16 << 20
  ) {
    self.connectTimeoutMs = connectTimeoutMs
    self.stallTimeoutMs = stallTimeoutMs
    self.totalTimeoutMs = totalTimeoutMs
    self.maxBodyBytes = maxBodyBytes
  }

  /// Sets the proxy; nil means no proxy.
  ///
  /// - Parameter name: The host's name of the option, for errors.
  /// - Throws: `.invalidArgument` naming the option.
  package mutating func setProxy(_ proxy: String?, as name: String = "proxy") throws(RemoraError) {
    if let proxy { try validateProxy(proxy, of: name) }
    self.proxy = proxy
  }

  /// Sets the PEM file of TLS roots; nil means libcurl's default.
  ///
  /// - Parameter name: The host's name of the option, for errors.
  /// - Throws: `.invalidArgument` naming the option.
  package mutating func setCAFile(_ path: String?, as name: String = "ca_file") throws(RemoraError) {
    if let path { try validateRoots(inFile: path, of: name) }
    caFile = path
  }

  /// Sets the header lines "Name: value" that the source's own server receives.
  ///
  /// - Parameter name: The host's name of the option, for errors.
  /// - Throws: `.invalidArgument` naming the option.
  package mutating func setHeaders(_ lines: [String], as name: String = "headers") throws(RemoraError) {
    for line in lines { try validateHeader(line, of: name) }
    headers = lines
  }

  /// Takes the headers of other options, which are checked already.
  mutating func replaceHeaders(by other: TransportOptions) { headers = other.headers }

  /// Sets the PEM files of the client's certificate and of its key; without `key`, the certificate's file has the key.
  ///
  /// - Throws: `.invalidArgument` naming the option, for a file that cannot be read.
  package mutating func setClientCertificate(
    _ certificate: String?, key: String?,
    as names: (certificate: String, key: String) = ("client_certificate_file", "client_key_file")
  ) throws(RemoraError) {
    guard let certificate else {
      guard key == nil else {
        throw .invalidArgument(names.key, "cannot be used without a certificate of the client")
      }
      return clientCertificate = nil
    }
    try requireReadable(certificate, of: names.certificate)
    if let key { try requireReadable(key, of: names.key) }
    clientCertificate = ClientCertificate(certificateFile: certificate, keyFile: key ?? certificate)
  }

  /// Removes the host's credentials, which only the source's own server may receive.
  mutating func removeCredentials() { (headers, clientCertificate) = ([], nil) }

  /// Sets the User-Agent header.
  ///
  /// - Parameter name: The host's name of the option, for errors.
  /// - Throws: `.invalidArgument` naming the option.
  package mutating func setUserAgent(_ text: String, as name: String) throws(RemoraError) {
    try validateHeaderValue(text, of: name)
    userAgent = text
  }

  /// The largest configurable limit of a body, and of packaged data.
  package static let largestBodyBytes = 256 << 20

  /// Sets the body limit; 0 leaves it unchanged.
  ///
  /// - Throws: `.invalidArgument` naming `max_body_bytes`.
  package mutating func limitBody(toBytes bytes: Int64) throws(RemoraError) {
    guard (0...Int64(Self.largestBodyBytes)).contains(bytes) else {
      throw .invalidArgument(
        "max_body_bytes", "must be between 1 and \(Self.largestBodyBytes), or 0 for the default")
    }
    if bytes > 0 { maxBodyBytes = Int(bytes) }
  }

  /// The defaults of a pre-connect, whose response is ignored.
  package static let ofPreconnect = TransportOptions(totalTimeoutMs: 30_000, maxBodyBytes: 64 << 10)

  /// The headers of a request. A User-Agent among the host's headers replaces `userAgent`, as with libcurl.
  package var headersWithUserAgent: [String] { hasOwnUserAgent ? headers : ["User-Agent: \(userAgent)"] + headers }

  /// Whether servers cannot identify the application.
  package var isAnonymous: Bool { hasAnonymousUserAgent && !hasOwnUserAgent }

  /// Whether the host's headers contain a User-Agent.
  private var hasOwnUserAgent: Bool {
    headers.contains { $0.prefix { $0 != ":" }.lowercased() == "user-agent" }
  }
}

/// The PEM files of a client's certificate and its private key.
package struct ClientCertificate: Sendable, Equatable {
  let certificateFile: String
  let keyFile: String
}
