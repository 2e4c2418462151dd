// SPDX-License-Identifier: Apache-2.0
//
// A published tree on a server, read with the requests of a client.

internal import CRemora
internal import Remora

/// A tree that is served at a URL.
final class Site: TreeReader {
  let server: CollectionServer
  private let options: TransportOptions
  /// The expected version of the monitor: 0 is what clients send, and a new number bypasses caches.
  private let expectedMonitor: Int64
  /// The monitor's timestamps; read once.
  private var versions: [String: Int64]?
  /// The headers of the responses by path.
  private(set) var headers: [String: ResponseHeaders] = [:]

  init(_ url: String, bypassingCaches: Bool, _ arguments: Arguments) throws(RemoraError) {
    do throws(RemoraError) {
      server = try CollectionServer(url)
    } catch {
      throw .usage("the URL\(error.message.dropFirst(error.parameter.count))")
    }
    expectedMonitor = bypassingCaches ? SystemClock().nowMs : 0
    options = try arguments.transportOptions(
      userAgent: "remora/\(REMORA_VERSION)", requestLimitMs: arguments.timeoutMs)
  }

  func name(of path: String) -> String { "\(server.base)/\(path)" }

  func read(_ path: String, limit: Int) throws(RemoraError) -> [UInt8]? {
    var text = path == "index.json" ? "\(server.base)/" : name(of: path)
    if path == TreePath.monitor { text += "?_expected=\(expectedMonitor)" }
    if let version = try expectedVersion(path) { text += "?_expected=\(version)" }
    var options = options
    options.maxBodyBytes = limit
    let url = try ParsedURL(text)
    let answer = try Seeds().exchange(HTTPRequest(url, text: text, options: options), untilMonotonicMs: nil)
    guard let response = try answer?.get() else { throw RemoraError(.timeout, "\(name(of: path)): no response") }
    headers[path] = response.headers
    switch response.status {
    case 200: return Array(response.content.bytes)
    case 404, 410: return nil
    default:
      throw RemoraError(.http, "\(name(of: path)): HTTP status \(response.status)", httpStatus: response.status)
    }
  }

  func collections() throws(RemoraError) -> [CollectionName] {
    try monitored().keys.sorted().map(collectionName)
  }

  func holds(_ sha256: String) -> Bool { true }

  /// Returns the version that a client expects of a changeset, because the monitor lists it.
  private func expectedVersion(_ path: String) throws(RemoraError) -> Int64? {
    guard path != TreePath.monitor, path.hasSuffix("/changeset") else { return nil }
    let parts = path.split(separator: "/")
    return try monitored()["\(parts[1])/\(parts[3])"] ?? 0
  }

  /// Returns the timestamps in the monitor.
  ///
  /// - Throws: If it is missing or damaged, unlike that of a folder, because it cannot be repaired from here.
  func monitored() throws(RemoraError) -> [String: Int64] {
    if let versions { return versions }
    let bytes = try read(TreePath.monitor, limit: TransportOptions().maxBodyBytes)
    guard let bytes else { throw RemoraError(.http, "\(name(of: TreePath.monitor)) does not exist", httpStatus: 404) }
    let read = try versions(in: bytes)
    versions = read
    return read
  }
}
