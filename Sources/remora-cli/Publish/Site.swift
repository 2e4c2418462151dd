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
  /// The monitor's entries; read once.
  private var entries: MonitorEntries?
  /// The timestamps in the monitor by the paths of changesets.
  private var expected: [String: Int64] = [:]
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
    if path != TreePath.monitor, path.hasSuffix("/changeset") {
      // As a client does, which knows the version from the monitor.
      _ = try listed()
      text += "?_expected=\(expected[path] ?? 0)"
    }
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
    try listed().versions.keys.sorted().map(collectionName)
  }

  func attachmentSize(_ sha256: String, stated: Int64?) throws(RemoraError) -> Int64? {
    if let stated { return stated }
    let bytes = try read(TreePath.attachment(sha256), limit: PackagedData.maximumBytes)
    guard let bytes, hexText(try MessageDigest.sha256(bytes)) == sha256 else { return nil }
    return Int64(bytes.count)
  }

  /// Returns the timestamps in the monitor.
  ///
  /// - Throws: If it is missing or damaged, unlike that of a folder, because it cannot be repaired from here.
  func monitored() throws(RemoraError) -> [String: Int64] {
    let entries = try listed()
    if let problem = entries.problem { throw problem }
    return entries.versions
  }

  private func listed() throws(RemoraError) -> MonitorEntries {
    if let entries { return entries }
    let bytes = try read(TreePath.monitor, limit: TransportOptions().maxBodyBytes)
    guard let bytes else { throw RemoraError(.http, "\(name(of: TreePath.monitor)) does not exist", httpStatus: 404) }
    let read = try entries(in: bytes)
    entries = read
    for (name, version) in read.versions { expected[TreePath.changeset(collectionName(name))] = version }
    return read
  }
}
