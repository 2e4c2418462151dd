// SPDX-License-Identifier: Apache-2.0
//
// The facts about a response that the ledger keeps: its freshness lifetime and entity tag, by RFC 9111 and RFC 9110,
// and its signature.

/// The upper limit of lifetimes, in seconds; effectively unlimited.
private let longestMaxAge: Int64 = 1 << 31

/// The facts about a response that the ledger keeps.
package struct ResponseLifetime: Sendable {
  package let nowMs: Int64
  /// The freshness lifetime of the data, in seconds.
  package let maxAge: Int64?
  /// The age of the data at `nowMs`, in seconds: a cache between client and server may have kept the response.
  package let age: Int64
  package let tag: EntityTag?
  /// The signature that was verified for the data; nil if none was verified in this refresh.
  package let signature: KnownSignature?
  /// Whether it showed that the server ignores `_since`.
  package let ignoresSince: Bool

  package init(
    nowMs: Int64, maxAge: Int64? = nil, age: Int64 = 0, tag: EntityTag? = nil, signature: KnownSignature? = nil,
    ignoresSince: Bool = false
  ) {
    self.nowMs = nowMs
    self.maxAge = maxAge
    self.age = age
    self.tag = tag
    self.signature = signature
    self.ignoresSince = ignoresSince
  }
}

/// An entity tag, with the URL that it belongs to.
package struct EntityTag: Sendable {
  package let text: String
  /// The hash of the URL.
  package let url: UInt64

  package init(_ text: String, url: UInt64) {
    self.text = text
    self.url = url
  }
}

extension SourceLedger {
  /// Returns the ledger after a successful refresh.
  func succeeded(_ lifetime: ResponseLifetime, _ image: ImageFacts) -> SourceLedger {
    var next = self
    next.failures = 0
    next.lastSuccessMs = lifetime.nowMs
    next.maxAgeMs = min(lifetime.maxAge ?? 0, longestMaxAge) * 1000
    let leftMs = max(0, next.maxAgeMs - lifetime.age * 1000)
    next.freshUntilMs = lifetime.maxAge.map { _ in max(1, lifetime.nowMs.addingClamped(leftMs)) } ?? 0
    if next.etagImage != image.checksum {
      (next.etag, next.etagURL, next.signature) = ("", 0, KnownSignature())
      next.etagImage = image.checksum
    }
    if let tag = lifetime.tag { (next.etag, next.etagURL) = (tag.text, tag.url) }
    if lifetime.ignoresSince { next.ignoresSince = true }
    if let signature = lifetime.signature { next.signature = signature }
    return next
  }

  /// Copies the last success, which another process has recorded.
  mutating func takeSuccess(of other: SourceLedger) {
    (lastSuccessMs, freshUntilMs, maxAgeMs) = (other.lastSuccessMs, other.freshUntilMs, other.maxAgeMs)
  }
}
