// SPDX-License-Identifier: Apache-2.0
//
// A signed collection whose records have attachments on a host of their own, and a client of it.

import Glibc
import Testing

@testable import Remora

/// A server of records and attachments. What it says of one can be a lie.
///
/// `@unchecked Sendable`: what changes is in boxes.
final class AttachmentServer: @unchecked Sendable {
  let settings: SignedServer
  /// Where the attachments are; without a slash at its end, which is for the client to add.
  let cdn: String
  private let bodies = Box<[String: [UInt8]]>([:])
  /// Answers that come instead of the usual ones, the next one first, by the last part of the URL; "" is the root.
  private let scripts = Box<[String: [HTTPOutcome?]]>([:])

  init() throws {
    settings = try .onOwnHost()
    cdn = settings.base.replacing("settings-", with: "cdn-").replacing("/v2", with: "/files")
  }

  /// Writes a record with an attachment at "main/<id>.bin"; `claim` are members of the attachment in place of the
  /// truth.
  func put(_ id: String, _ body: [UInt8], at timestamp: Int64, _ claim: [String: String] = [:], _ more: String = "")
    throws
  {
    let location = "main/\(id).bin"
    let name = try attachmentName(of: body)
    bodies.update { $0[lastPart(of: location)] = body }
    var members = ["location": #""\#(location)""#, "hash": #""\#(name.hex)""#, "size": "\(body.count)"]
    members.merge(claim) { $1 }
    let text = members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
    settings.put(id, #""attachment":{\#(text)}\#(more)"#, at: timestamp)
  }

  /// The next requests for a URL that ends so get these answers; nil holds one until it is released.
  func script(_ last: String, _ answers: HTTPOutcome?...) { scripts.update { $0[last, default: []] += answers } }

  /// The answer to a request.
  func answer(_ request: HTTPRequest) -> HTTPOutcome? {
    let isRoot = request.url == "\(settings.base)/"
    let last = isRoot ? "" : lastPart(of: request.url)
    let scripted = scripts.update { scripts -> HTTPOutcome?? in
      guard let next = scripts[last]?.first else { return .none }
      scripts[last]?.removeFirst()
      return .some(next)
    }
    if let scripted { return scripted }
    if isRoot { return .success(root) }
    guard request.url.hasPrefix("\(cdn)/main/") else { return .success(settings.answer(request.url)) }
    return .success(usual(request))
  }

  /// What the root document says.
  var root: HTTPResponse { .answer(200, #"{"capabilities":{"attachments":{"base_url":"\#(cdn)"},"x":{}}}"#) }

  /// The whole attachment, or the rest of it.
  func usual(_ request: HTTPRequest) -> HTTPResponse {
    guard let body = bodies.read({ $0[lastPart(of: request.url)] }) else { return .answer(404) }
    return .bytes(body, from: request.destination?.offset ?? 0)
  }
}

extension HTTPResponse {
  /// A body from an offset on: a 206 for one that is not 0. `count` cuts the connection behind so many bytes.
  static func bytes(_ body: [UInt8], from offset: Int = 0, cutAfter count: Int? = nil) -> HTTPResponse {
    let range = ("Content-Range", "bytes \(offset)-\(body.count - 1)/\(body.count)")
    var response: HTTPResponse = .answer(offset > 0 ? 206 : 200, "", offset > 0 ? [range] : [])
    response.body = Array(body[offset...].prefix(count ?? .max))
    if count != nil { response.bodyEnd = Self.cut }
    return response
  }
}

/// The SHA-256 of bytes.
func attachmentName(of body: [UInt8]) throws -> AttachmentName {
  try #require(AttachmentName(digest: try MessageDigest.sha256(body)))
}

/// Bytes that are unlike others of the same length, for another seed.
func noise(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
  var state = UInt32(seed) &* 2_654_435_761 | 1
  return (0..<count).map { _ in
    state = state &* 1_664_525 &+ 1_013_904_223
    return UInt8(truncatingIfNeeded: state >> 24)
  }
}

/// A client with the collection of such a server; closed when the last reference goes.
final class AttachmentStage {
  let server: AttachmentServer
  let scene: Scene
  let handle: OpenSource

  /// Opens and refreshes.
  init(
    _ server: AttachmentServer, in directory: TemporaryDirectory? = nil, calls: SystemCalls = .real,
    clock: ManualClock = ManualClock(), callbacks: CallbackPlace = .thread, ignoresCancel: Bool = false,
    headers: [String] = [], log: Log? = nil, _ change: (inout CollectionOptions) -> Void = { _ in }
  ) throws {
    self.server = server
    scene = try Scene(
      in: directory, server: server.settings, clock: clock,
      transport: ScriptedTransport(ignoresCancel: ignoresCancel) { server.answer($0) }, calls: calls, log: log,
      callbacks: callbacks, headers: headers)
    handle = try scene.open(change)
    handle.refresh()
  }

  var source: Source { handle.source }
  var transport: ScriptedTransport { scene.transport }

  /// What was asked for beside settings: "root", or the last part of the URL with the offset that was asked from.
  var asked: [String] {
    zip(transport.requests, transport.offsets).compactMap { request, offset in
      if request.url == "\(server.settings.base)/" { return "root" }
      return offset.map { $0 == 0 ? lastPart(of: request.url) : "\(lastPart(of: request.url)) from \($0)" }
    }
  }

  /// Opens the attachment of a record.
  @discardableResult
  func open(
    _ id: String, timeoutMs: Int64 = longestWaitMs, _ change: (inout AttachmentRequest) -> Void = { _ in },
    progress: ((Int, Int) -> Void)? = nil
  ) throws(RemoraError) -> [UInt8] {
    var request = AttachmentRequest(.record(id))
    change(&request)
    let report = progress.map { progress in { (now: AttachmentProgress) in progress(now.received, now.total) } }
    return try handle.openAttachment(request, timeoutMs: timeoutMs, progress: report).array
  }

  /// Opens without waiting; the end lands in a box.
  func openAsync(_ id: String, timeoutMs: Int64 = -1, into ends: AttachmentEnds) throws -> AttachmentWaiter {
    try handle.openAttachmentAsync(
      AttachmentRequest(.record(id)), timeoutMs: timeoutMs,
      AttachmentListener { result in ends.update { $0.append(result.map(\.array)) } })
  }
}

/// What asynchronous openings came to.
typealias AttachmentEnds = Box<[Result<[UInt8], RemoraError>]>

extension Box where Value == [Result<[UInt8], RemoraError>] {
  /// The bytes or codes, once there are so many.
  func ends(_ count: Int = 1) -> [AttachmentEnd] {
    _ = wait { $0.count >= count }
    return read { $0.map(AttachmentEnd.init) }
  }
}

/// An end that can be compared.
enum AttachmentEnd: Equatable {
  case bytes([UInt8])
  case error(RemoraError.Code)

  init(_ result: Result<[UInt8], RemoraError>) {
    switch result {
    case .success(let bytes): self = .bytes(bytes)
    case .failure(let error): self = .error(error.code)
    }
  }
}

extension Remora.Attachment {
  var array: [UInt8] { Array(bytes) }
}
