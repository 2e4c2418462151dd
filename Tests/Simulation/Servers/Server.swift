// SPDX-License-Identifier: Apache-2.0
//
// The server of a simulation: three documents, their entity tags, and its moods.

import Remora

/// What kinds of sources there are.
enum Kind: Int, CaseIterable {
  case collection, settings, bundle
}

/// How the server answers.
enum Mood {
  case well
  /// Status 500.
  case broken
  /// Status 503, and a time to be left alone.
  case busy
  /// A body that is no document.
  case garbage
  /// A document that is well-formed and not the one that was signed.
  case forged
  /// An older version.
  case older
  /// The connection is lost.
  case unreachable
}

/// The server.
final class Server {
  static let origin = "https://sim.example"

  let isSigned: Bool
  /// The newest version of each kind.
  private(set) var newest: [Int]
  var mood = Mood.well
  /// The versions of each kind that a host cannot work with. Its content shows their number.
  private var bad: [Set<Int64>]

  init(isSigned: Bool) {
    self.isSigned = isSigned
    newest = Kind.allCases.map { _ in 1 }
    bad = Kind.allCases.map { _ in [] }
  }

  func publish(_ kind: Kind, isBad: Bool = false) {
    guard kind != .collection || !isSigned || newest[kind.rawValue] < CollectionHistory.lastSigned else { return }
    newest[kind.rawValue] += 1
    if isBad { bad[kind.rawValue].insert(Int64(newest[kind.rawValue])) }
  }

  /// Whether a host cannot work with a version.
  func isBad(_ kind: Kind, _ number: Int64) -> Bool { bad[kind.rawValue].contains(number) }

  static func kind(of url: String) -> Kind? {
    if url.hasPrefix("\(origin)/settings") { return .settings }
    if url.hasPrefix("\(origin)/bundle") { return .bundle }
    return url.hasPrefix("\(origin)/v2/buckets/main/collections/c/changeset") ? .collection : nil
  }

  /// The answer to a request, and the version that it stands for.
  func answer(_ request: HTTPRequest, _ random: inout Random) -> (Result<HTTPResponse, RemoraError>, version: Int?) {
    let url = request.url
    if url.hasSuffix(".pem") { return (.success(.answer(200, url, SignedHistory.chain + "\n")), nil) }
    switch mood {
    case .broken: return (.success(.answer(500, url, "")), nil)
    case .busy: return (.success(.answer(503, url, "", retryAfter: 5 + random.below(60))), nil)
    case .garbage: return (.success(.answer(200, url, #"{"timestamp":"#)), nil)
    case .unreachable: return (.failure(RemoraError(.network, "the connection was lost")), nil)
    case .well, .forged, .older: break
    }
    guard let kind = Self.kind(of: url) else { return (.success(.answer(200, url, monitor)), nil) }
    var version = newest[kind.rawValue]
    // Settings have no version of their own: older ones would be newer.
    if mood == .older, kind != .settings { version = max(1, version - 1 - random.below(3)) }
    let tag = "\"\(kind)-\(version)\""
    if request.ifNoneMatch == tag { return (.success(.answer(304, url, "", tag: tag)), version) }
    let isForged = mood == .forged && kind == .collection && isSigned
    let body = document(kind, version, url, isForged: isForged)
    return (.success(.answer(200, url, body, tag: tag)), isForged ? nil : version)
  }

  private func document(_ kind: Kind, _ version: Int, _ url: String, isForged: Bool) -> String {
    switch kind {
    case .settings: return SettingsHistory.body(at: version)
    case .bundle: return BundleHistory.body(at: version)
    case .collection:
      let since = url.split(separator: "&").last.flatMap { $0.hasPrefix("_since=") ? Int64($0.dropFirst(7)) : nil }
      let known = since.map { CollectionHistory.version(of: $0) }
      let index = isForged ? max(1, version - 1) : version
      let signature = isSigned ? SignedHistory.signatures[index - 1] : nil
      let isDiff = known.map { $0 > 0 && $0 <= version } ?? false
      return CollectionHistory.changeset(
        at: version, since: isDiff ? known : nil, signature: signature, isForged: isForged)
    }
  }

  private var monitor: String {
    let timestamp = CollectionHistory.timestamp(newest[Kind.collection.rawValue])
    let change = #"{"id":"x","bucket":"main","collection":"c","last_modified":\#(timestamp)}"#
    return #"{"changes":[\#(change)],"timestamp":\#(timestamp),"metadata":{}}"#
  }
}

extension HTTPResponse {
  fileprivate static func answer(
    _ status: Int32, _ url: String, _ body: String, tag: String? = nil, retryAfter: Int? = nil
  ) -> HTTPResponse {
    var headers = ResponseHeaders()
    if let tag { headers.etag = tag }
    if let retryAfter { headers.add(name: "Retry-After", value: String(retryAfter), nowMs: 0) }
    let content = (try? body.withBytes(ReceivedBody.init(copying:))) ?? ReceivedBody()
    return HTTPResponse(status: status, url: url, headers: headers, content: content)
  }
}
