// SPDX-License-Identifier: Apache-2.0
//
// The caching information of a response, by RFC 9111 and RFC 9110: its freshness lifetime and entity tag.

/// The upper limit of lifetimes, in seconds; effectively unlimited.
private let longestMaxAge: Int64 = 1 << 31

/// The caching information of a response.
package struct ResponseLifetime: Sendable {
  package let nowMs: Int64
  /// The freshness lifetime of the data, in seconds.
  package let maxAge: Int64?
  /// The entity tag of the data.
  package let tag: EntityTag?

  package init(nowMs: Int64, maxAge: Int64? = nil, tag: EntityTag? = nil) {
    self.nowMs = nowMs
    self.maxAge = maxAge
    self.tag = tag
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
    next.freshUntilMs =
      lifetime.maxAge.map { max(1, lifetime.nowMs.addingClamped(min($0, longestMaxAge) * 1000)) } ?? 0
    if let tag = lifetime.tag { (next.etag, next.etagURL, next.etagImage) = (tag.text, tag.url, image.checksum) }
    return next
  }
}
