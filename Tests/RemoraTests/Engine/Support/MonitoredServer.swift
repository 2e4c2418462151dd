// SPDX-License-Identifier: Apache-2.0
//
// Several signed collections on one server, with the monitor that lists them.

@testable import Remora

/// A server of collections by their names. What it says of them can be a lie.
///
/// `@unchecked Sendable`: the collections are made once, and what changes is in boxes.
final class MonitoredServer: @unchecked Sendable {
  private let collections: [String: SignedServer]
  /// What the monitor says instead of the truth; nil leaves a collection out.
  private let claims = Box<[String: Int64?]>([:])
  /// Answers that come instead of the usual ones, by collection; the monitor's is "changes".
  private let scripts = Box<[String: HTTPOutcome]>([:])

  /// Makes collections that are empty.
  init(_ names: [String], base: String) throws {
    var collections: [String: SignedServer] = [:]
    for name in names { collections[name] = try SignedServer(base: base) }
    self.collections = collections
  }

  subscript(_ name: String) -> SignedServer {
    guard let collection = collections[name] else { preconditionFailure("no collection \(name)") }
    return collection
  }

  /// The monitor says this of a collection from now on; nil is nothing.
  func claim(_ name: String, _ timestamp: Int64?) { claims.update { $0[name] = .some(timestamp) } }

  /// The monitor says the truth of a collection again.
  func claimTruth(_ name: String) { claims.update { $0[name] = nil } }

  /// A collection, or "changes", answers this from now on; nil is the usual.
  func answer(_ name: String, _ outcome: HTTPOutcome?) { scripts.update { $0[name] = outcome } }

  /// The answer to a URL.
  func answer(_ url: String) -> HTTPOutcome {
    let parts = url.split(separator: "/").map(String.init)
    guard let place = parts.firstIndex(of: "collections") else {
      return .success(collections.first?.value.answer(url) ?? .answer(404))
    }
    let name = parts[place + 1]
    if let outcome = scripts.read({ $0[name] }) { return outcome }
    if name == "changes" { return .success(.answer(200, monitor)) }
    return .success(collections[name]?.answer(url) ?? .answer(404))
  }

  private var monitor: String {
    let claims = claims.read { $0 }
    let changes = collections.keys.sorted().compactMap { name -> String? in
      let timestamp = claims[name] ?? (try? collections[name]?.changeset().timestamp)
      return timestamp.map { #"{"id":"\#(name)","bucket":"main","collection":"\#(name)","last_modified":\#($0)}"# }
    }
    return #"{"changes":[\#(changes.joined(separator: ","))],"timestamp":1,"metadata":{}}"#
  }
}

extension HTTPRequest {
  /// "a _expected=0&_since=5": the collection and the query; "chain" for a chain.
  var short: String {
    let parts = url.split(separator: "/").map(String.init)
    guard let place = parts.firstIndex(of: "collections") else { return "chain" }
    return "\(parts[place + 1]) \(url.split(separator: "?").last ?? "")"
  }
}
