// SPDX-License-Identifier: Apache-2.0
//
// A refresh path walked to its end on the test's own thread: no worker, no transport.

@testable import Remora

/// What became of one refresh.
struct Walk {
  /// The image that was compiled, if one was.
  let image: Image?
  /// Why it failed, if it did.
  let error: RemoraError?
  /// "updated", "unchanged", "notNewer", or the code of the error.
  let outcome: String
  /// The last part of every URL that was asked for.
  let urls: [String]

  /// The ids of the image's records.
  var keys: [String] { image.map(keysOf) ?? [] }
}

/// The keys of an image in order.
func keysOf(_ image: Image) -> [String] {
  let reader = image.reader(over: nil)
  return (0..<reader.count).compactMap { reader.entry(at: $0) }.map { String(decoding: $0.key, as: UTF8.self) }
}

extension SignedServer {
  /// Refreshes over this server's answers, or over those that `script` gives instead.
  func walk(
    since base: Image? = nil, signature: KnownSignature? = nil, floor: Int64? = nil, dialect: CollectionDialect? = nil,
    chains: ChainCache = ChainCache(), nowMs: Int64 = TestTime.nowMs,
    _ script: (Gather) throws -> HTTPOutcome? = { _ in nil }
  ) throws -> Walk {
    let dialect = try dialect ?? self.dialect()
    let known = base.flatMap { $0.metadata.isPackaged ? nil : $0.metadata.version } ?? 0
    var urls: [String] = []
    do throws(RemoraError) {
      var path = try RefreshPath(
        dialect, first: dialect.request(since: base, expected: 0), base: base, signature: signature,
        limits: VersionLimits(floor: floor ?? known, rule: dialect.versions),
        epoch: 7, generation: 3, hashSeed: .test)
      while true {
        let gather = path.request
        urls.append(lastPart(of: gather.url.description))
        guard urls.count < 50 else { return Walk(image: nil, error: nil, outcome: "endless", urls: urls) }
        let outcome: HTTPOutcome
        do {
          outcome = try script(gather) ?? .success(answer(gather.url.description))
        } catch {
          return Walk(image: nil, error: nil, outcome: "\(error)", urls: urls)
        }
        switch try path.advance(outcome, chains: chains, nowMs: nowMs) {
        case .gather: continue
        case .unchanged: return Walk(image: nil, error: nil, outcome: "unchanged", urls: urls)
        case .notNewer: return Walk(image: nil, error: nil, outcome: "notNewer", urls: urls)
        case .compiled(let image): return Walk(image: image.image, error: nil, outcome: "updated", urls: urls)
        }
      }
    } catch {
      return Walk(image: nil, error: error, outcome: "\(error.code)", urls: urls)
    }
  }

  /// The image of everything that the server has now.
  func image() throws -> Image { try accepted().image }

  /// The same as what may be stored.
  func accepted() throws -> AcceptedImage {
    let walk = try walk()
    let accepted = try walk.image.flatMap { try AcceptedImage($0, acceptedBefore: dialect()) }
    guard let accepted else { throw walk.error ?? RemoraError(.internal, walk.outcome) }
    return accepted
  }
}

extension Changeset {
  /// The first signature, as a ledger keeps it.
  func known(untilMs: Int64 = TestTime.nowMs + 1) throws -> KnownSignature {
    let document = try Array(body.utf8).withBytes { bytes throws(RemoraError) in
      try decodeCollection(bytes, .changeset, named: "the changeset")
    }
    return KnownSignature(hash: document.signatures[0].text.hash64(), validUntilMs: untilMs)
  }
}

extension Gather {
  /// Whether the request is for a certificate chain.
  var isChain: Bool { purpose == .chain }
}
