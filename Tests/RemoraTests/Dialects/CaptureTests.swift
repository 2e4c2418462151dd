// SPDX-License-Identifier: Apache-2.0
//
// Answers that real servers gave, Kinto's and the git-backed reader's, with the signatures that they made.

import Testing

@testable import Remora

@Suite("Recorded responses of real servers", .vectors)
struct CaptureTests {
  /// One server's answers.
  struct Capture: Sendable, CustomTestStringConvertible {
    let server: String
    let full: String
    let chain: String
    /// Answers to a diff and to a later full request, where they were captured.
    var diff: String?
    var later: String?
    var testDescription: String { server }
  }

  private static let v1 = Capture(
    server: "http://127.0.0.1:8888/v1", full: "09-changeset-full", chain: "12-x5u-chain", diff: "14-changeset-since",
    later: "15-changeset-full-2")
  private static let v2 = Capture(
    server: "http://127.0.0.1:8899/v2", full: "v2-03-changeset", chain: "v2-11-x5u", diff: "v2-04-since",
    later: "v2-03-changeset")

  init() throws { try LoadedLibcrypto.require() }

  /// The instant of an answer, by its own Date header.
  private func date(_ name: String) throws -> Int64 {
    let header = Vectors.text("captures/\(name).headers").split(whereSeparator: \.isNewline)
      .first { $0.lowercased().hasPrefix("date: ") }
    let text = try #require(header).dropFirst("date: ".count)
    return try #require(parseHTTPDate(String(text), nowMs: 0))
  }

  /// The image of a captured document that is accepted.
  private func image(_ capture: Capture, _ document: String?) throws -> Image {
    let walk = try walk(capture, #require(document))
    return try #require(walk.image, "\(walk.error?.message ?? "")")
  }

  private func dialect(_ capture: Capture) throws -> CollectionDialect {
    let pin = Vectors.text("captures/root.sha256").filter { !$0.isWhitespace }
    return try CollectionDialect(
      server: CollectionServer(capture.server), bucket: "main", collection: "products",
      policy: .required(root: RootPin(hex: pin), signer: TrustPolicy.defaultSigner(bucket: "main")))
  }

  /// Takes a captured document, with the captured chain, at its own time.
  private func walk(_ capture: Capture, _ document: String, since base: Image? = nil) throws -> Walk {
    let body = try #require(Vectors.bytes("captures/\(document).body"))
    let chain = try #require(Vectors.bytes("captures/\(capture.chain).body"))
    return try SignedServer().walk(since: base, dialect: dialect(capture), nowMs: date(document)) { gather in
      .success(HTTPResponse(status: 200, url: "", body: gather.isChain ? chain : body))
    }
  }

  @Test(
    "the server's recorded list of collections contains the collections of all buckets",
    arguments: ["10-monitor", "v2-02-monitor"])
  func monitor(name: String) throws {
    let body = try #require(Vectors.bytes("captures/\(name).body"))
    let versions = try body.withBytes { bytes throws(RemoraError) in try decodeMonitorChanges(bytes).versions }
    let main = try #require(versions["main/products"])
    let preview = try #require(versions["main-preview/products"])
    #expect(main > 1_795_000_000_000 && preview > 1_795_000_000_000 && main != preview)
  }

  @Test(
    "a recorded full response is accepted, and its signature is valid at the time of the recording",
    arguments: [v1, v2])
  func full(capture: Capture) throws {
    let walk = try walk(capture, capture.full)
    #expect(walk.outcome == "updated", "\(walk.error?.message ?? "")")
    #expect(walk.keys.count == 4)
    #expect(walk.image?.metadata.isVerified == true)
  }

  @Test("merging a recorded diff into the earlier full response results in the later full response")
  func diff() throws {
    let capture = Self.v1
    let base = try image(capture, capture.full)
    let merged = try walk(capture, #require(capture.diff), since: base)
    #expect(merged.outcome == "updated", "\(merged.error?.message ?? "")")
    #expect(merged.urls.first == "changeset?_expected=0&_since=%22\(base.metadata.version)%22")
    #expect(try text(of: merged.image) == text(of: image(capture, capture.later)))
  }

  @Test("merging a recorded v2 diff, which has short entries for deleted records, results in the full response")
  func diffOfV2() throws {
    // The second server was filled from the first: what it lacks is in the answer.
    let later = try image(Self.v1, Self.v1.later)
    let merged = try walk(Self.v2, #require(Self.v2.diff), since: later)
    #expect(merged.outcome == "updated", "\(merged.error?.message ?? "")")
    #expect(try text(of: merged.image) == text(of: image(Self.v2, Self.v2.full)))
  }

  @Test("a recorded response is refused if any byte of its records is changed")
  func flips() throws {
    let original = try #require(Vectors.bytes("captures/\(Self.v2.full).body"))
    let chain = try #require(Vectors.bytes("captures/\(Self.v2.chain).body"))
    let (dialect, now, chains) = (try dialect(Self.v2), try date(Self.v2.full), ChainCache())
    let server = try SignedServer()
    let marker = Array(#""changes":["#.utf8)
    let start = try #require(original.indices.first { original[$0...].starts(with: marker) }) + marker.count
    for index in start..<original.count - 2 {
      var body = original
      body[index] ^= 1
      let walk = try server.walk(dialect: dialect, chains: chains, nowMs: now) { gather in
        .success(HTTPResponse(status: 200, url: "", body: gather.isChain ? chain : body))
      }
      #expect(walk.image == nil, "byte \(index)")
    }
  }

  @Test("a recorded response is accepted for the bucket and collection that it names, and for no others")
  func name() throws {
    let bytes = try #require(Vectors.bytes("canonicaljson-mozilla/search-config-v2.changeset.json"))
    for (bucket, collection, isAccepted) in [
      ("main", "search-config-v2", true), ("main-preview", "search-config-v2", false), ("main", "regions", false),
    ] {
      let dialect = try CollectionDialect(
        server: CollectionServer("prod"), bucket: bucket, collection: collection, policy: .off)
      let document = try? bytes.withBytes { bytes throws(RemoraError) in try dialect.decode(bytes) }
      #expect((document != nil) == isAccepted, "\(bucket)/\(collection)")
    }
  }

  @Test(
    "a collection dump from the reference client is read completely, with every record and every field",
    arguments: dumps)
  func dump(name: String) throws {
    let file = "rs-dumps-appservices/main/\(name)"
    let image = try SignedServer().dialect().compile(.file(Vectors.path(file))).image
    let timestamp = Vectors.text(file.replacing(".json", with: ".timestamp")).filter(\.isNumber)
    #expect("\(image.metadata.version)" == timestamp)
    let snapshot = Snapshot(base: image, origin: .packaged)
    let records = try WalkedJSON.records(inFile: Vectors.path(file))
    #expect(snapshot.count == records.count)
    for (id, record) in records {
      let value = try #require(snapshot.value(id), "\(id)")
      #expect(try text(of: value) == record.canonical, "\(id)")
      #expect(record.isSame(as: value), "\(id)")
    }
  }

  private static let dumps = Vectors.names(in: "rs-dumps-appservices/main").filter { $0.hasSuffix(".json") }
}
