// SPDX-License-Identifier: Apache-2.0
//
// What the cache of verified chains answers, and what it must not.

import Testing

@testable import Remora

@Suite("Cache of certificate chains")
struct ChainCacheTests {
  private let now = Int64(TestChain.now) * 1000
  private let url = "https://chains.example/a.chain"

  init() throws { try LoadedLibcrypto.require() }

  @Test("a cached certificate chain is not verified again while it is valid")
  func known() throws {
    let (cache, chain) = (ChainCache(), try TestChain())
    let first = try key(chain, in: cache)
    #expect(try key(chain, in: cache) === first)
    #expect(try key(chain, in: cache, atMs: first.validUntilMs - 1) === first)
  }

  @Test("a cached certificate chain is refused after it has expired, and before it is valid")
  func expired() throws {
    let (cache, chain) = (ChainCache(), try TestChain())
    let first = try key(chain, in: cache)
    for instant in [first.validUntilMs, first.validFromMs - 1] {
      let error = #expect(throws: RemoraError.self) { try key(chain, in: cache, atMs: instant) }
      #expect(error?.code == .certificateExpired)
      #expect(cache.pem(fromURL: url, atMs: instant) == nil)
    }
  }

  @Test("a certificate chain that was cached for one root and signer is verified again for another")
  func otherPolicy() throws {
    let (cache, chain) = (ChainCache(), try TestChain())
    _ = try key(chain, in: cache)
    let signer = #expect(throws: RemoraError.self) { try key(chain, in: cache, signer: "other.example") }
    #expect(signer?.code == .certificateSubject)
    let root = #expect(throws: RemoraError.self) { try key(chain, in: cache, root: .production) }
    #expect(root?.code == .rootMismatch)
  }

  @Test("a certificate chain that differs in one byte is verified again")
  func otherBytes() throws {
    let (cache, chain) = (ChainCache(), try TestChain())
    let first = try key(chain, in: cache)
    let other = try cache.signerKey(
      pem: Array((chain.pem + "\n").utf8), fromURL: nil, root: try chain.pin, signer: TestChain.signer, atMs: now)
    #expect(other !== first)
  }

  @Test("a cached certificate chain is found by its URL until it is removed")
  func urls() throws {
    let (cache, chain) = (ChainCache(), try TestChain())
    #expect(cache.pem(fromURL: url, atMs: now) == nil)
    _ = try key(chain, in: cache)
    #expect(cache.pem(fromURL: url, atMs: now) == Array(chain.pem.utf8))
    #expect(cache.pem(fromURL: url + "?", atMs: now) == nil)
    cache.forget(url: url)
    #expect(cache.pem(fromURL: url, atMs: now) == nil)
  }

  @Test("an invalid certificate chain is not cached, and does not replace the cached chain of its URL")
  func failure() throws {
    let (cache, good, bad) = (ChainCache(), try TestChain(), try TestChain.with(leaf: { $0.extendedKeyUsage = nil }))
    _ = try key(good, in: cache)
    #expect(throws: RemoraError.self) { try key(bad, in: cache) }
    #expect(cache.pem(fromURL: url, atMs: now) == Array(good.pem.utf8))
  }

  @Test("a full cache keeps the certificate chains and URLs that were used most recently")
  func bounded() throws {
    let cache = ChainCache(capacity: 2)
    let chains = try (0..<3).map { _ in try TestChain() }
    let keys = try chains[..<2].map { try key($0, in: cache) }
    #expect(try key(chains[0], in: cache) === keys[0])
    _ = try key(chains[2], in: cache)
    #expect(try key(chains[0], in: cache) === keys[0])
    #expect(try key(chains[1], in: cache) !== keys[1])

    let urls = ChainCache(capacity: 2)
    for name in ["a", "b"] { _ = try key(chains[0], in: urls, url: name) }
    #expect(urls.pem(fromURL: "a", atMs: now) != nil)
    _ = try key(chains[0], in: urls, url: "c")
    #expect(urls.pem(fromURL: "b", atMs: now) == nil)
    #expect(urls.pem(fromURL: "a", atMs: now) != nil)
  }

  private func key(
    _ chain: TestChain, in cache: ChainCache, url: String? = nil, root: RootPin? = nil,
    signer: String = TestChain.signer, atMs instant: Int64? = nil
  ) throws -> SignerKey {
    try cache.signerKey(
      pem: Array(chain.pem.utf8), fromURL: url ?? self.url, root: root ?? chain.pin, signer: signer,
      atMs: instant ?? now)
  }
}
