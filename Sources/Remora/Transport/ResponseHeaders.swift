// SPDX-License-Identifier: Apache-2.0
//
// The response headers that Remora reads, and their meaning. Invariant: any bytes from a server give values
// within their limits or nothing; what cannot be understood is as good as absent.

/// The longest wait that a server can ask for.
package var longestRetryAfterMs: Int64 { dayMs }

/// What an answer's headers say.
package struct ResponseHeaders: Sendable, Equatable {
  /// The entity tag with its quotes, when it is one that can be sent back.
  package var etag: String?
  /// Where a redirect points, as the server wrote it.
  package var location: String?
  /// The media type with its parameters.
  package var contentType: String?
  /// The larger of Retry-After and Backoff from now on, at most 24 hours.
  package var retryAfterMs: Int64?
  /// Seconds that the answer stays fresh; 0 when Cache-Control forbids to keep it.
  package var cacheControlMaxAge: Int64?
  /// The server's time in milliseconds since 1970.
  package var dateMs: Int64?
  /// Which part of the whole the body is.
  package var contentRange: ContentRange?
  /// The Content-Encoding that did not encode the body; nil where it did, or where there is none.
  package var idleEncoding: String?
  /// What the server's operator has to say to those who maintain clients.
  package var alert: String?

  /// No headers.
  package init() {}

  /// Takes in one header; of a repeated one the first counts, except where a rule says more.
  ///
  /// `nowMs` is the wall time from which dates are counted.
  package mutating func add(name: String, value: String, nowMs: Int64) {
    switch name.lowercased() {
    case "etag": if etag == nil, isEntityTag(value) { etag = value }
    case "location": if location == nil, !value.isEmpty { location = value }
    case "content-type": if contentType == nil, !value.isEmpty { contentType = value }
    case "date": if dateMs == nil { dateMs = parseHTTPDate(value, nowMs: nowMs) }
    case "retry-after": wait(seconds(value) ?? untilDate(value, nowMs: nowMs))
    case "backoff": wait(seconds(value))
    case "cache-control": addCacheControl(value)
    case "alert": if alert == nil, !value.isEmpty { alert = value }
    case "content-range": if contentRange == nil { contentRange = ContentRange(value) }
    default: break
    }
  }

  private mutating func wait(_ ms: Int64?) {
    guard let ms else { return }
    retryAfterMs = max(retryAfterMs ?? 0, min(ms, longestRetryAfterMs))
  }

  /// The shortest time that any directive allows.
  private mutating func addCacheControl(_ value: String) {
    for directive in value.lowercased().split(separator: ",") {
      let parts = directive.split(separator: "=", maxSplits: 1).map { trimmed($0) }
      switch parts.first {
      case "no-store", "no-cache":
        cacheControlMaxAge = 0
      case "max-age":
        guard parts.count == 2, let age = wholeNumber(unquoted(parts[1])) else { continue }
        cacheControlMaxAge = min(cacheControlMaxAge ?? .max, age)
      default:
        continue
      }
    }
  }
}

/// A delay in seconds, as milliseconds.
private func seconds(_ value: String) -> Int64? {
  guard let number = wholeNumber(value[...]) else { return nil }
  return min(number, longestRetryAfterMs) * 1000
}

/// A delay until a date; 0 when it is over.
private func untilDate(_ value: String, nowMs: Int64) -> Int64? {
  parseHTTPDate(value, nowMs: nowMs).map { max(0, $0.addingClamped(-max(0, nowMs))) }
}

/// A number of digits only; beyond 64 bits it is the largest one.
private func wholeNumber(_ text: Substring) -> Int64? {
  guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
  return Int64(text) ?? .max
}

private func unquoted(_ text: Substring) -> Substring {
  text.utf8.count >= 2 && text.first == "\"" && text.last == "\"" ? text.dropFirst().dropLast() : text
}

/// The text without white space and line ends around it.
func trimmed(_ text: Substring) -> Substring {
  // Bytes, as a space and a combining mark would be one character.
  var bytes = text.utf8
  while let first = bytes.first, isWhite(first) { bytes.removeFirst() }
  while let last = bytes.last, isWhite(last) { bytes.removeLast() }
  return Substring(bytes)
}

/// The bytes without white space and line ends around them.
func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
  var bytes = bytes
  while let first = bytes.first, isWhite(first) { bytes.removeFirst() }
  while let last = bytes.last, isWhite(last) { bytes.removeLast() }
  return bytes
}

private func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

/// Whether the text can go back as If-None-Match: `"…"` or `W/"…"` of visible ASCII, of a sane length.
private func isEntityTag(_ text: String) -> Bool {
  let opaque = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
  return opaque.utf8.count >= 2 && opaque.utf8.count <= 1024 && opaque.first == "\"" && opaque.last == "\""
    && opaque.dropFirst().dropLast().utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
}
