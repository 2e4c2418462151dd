// SPDX-License-Identifier: Apache-2.0
//
// The response headers that Remora uses.
// Invariant: any bytes from a server result in values within their limits, or in none; a header that cannot be parsed
// is ignored.

/// The longest wait that a server can ask for.
package var longestRetryAfterMs: Int64 { dayMs }

package struct ResponseHeaders: Sendable, Equatable {
  /// The entity tag with its quotes, if it can be sent in If-None-Match.
  package var etag: String?
  /// The target of a redirect, as the server wrote it.
  package var location: String?
  /// The media type with its parameters.
  package var contentType: String?
  /// The larger of the delays in Retry-After and Backoff, at most 24 hours.
  private var delayMs: Int64?
  /// The date in Retry-After, in milliseconds since 1970.
  private var retryAtMs: Int64?
  /// The wall time at which the first date arrived.
  private var receivedAtMs: Int64 = 0
  /// The number of seconds for which the response is fresh, including its age; 0 if Cache-Control forbids storing it.
  package var cacheControlMaxAge: Int64?
  /// The number of seconds since the response was created or confirmed at its server, if a cache sent it; at most 2^31.
  package private(set) var age: Int64?
  /// The server's time in milliseconds since 1970.
  package var dateMs: Int64?
  /// The byte range that the body has.
  package var contentRange: ContentRange?
  /// A Content-Encoding header that does not match the body's actual encoding; nil if it matches or is absent.
  package var idleEncoding: String?
  /// A message of the server's operator to the maintainers of clients (the Alert header).
  package var alert: String?

  package init() {}

  /// Adds one header. Of a repeated header the first one counts, unless a rule for that header differs.
  ///
  /// `nowMs` is the wall time against which dates are evaluated.
  package mutating func add(name: String, value: String, nowMs: Int64) {
    switch name.lowercased() {
    case "etag": if etag == nil, isEntityTag(value) { etag = value }
    case "location": if location == nil, !value.isEmpty { location = value }
    case "content-type": if contentType == nil, !value.isEmpty { contentType = value }
    case "date": if dateMs == nil { dateMs = parseHTTPDate(value, nowMs: nowMs) }
    case "retry-after":
      wait(seconds(value))
      waitUntil(parseHTTPDate(value, nowMs: nowMs), nowMs: nowMs)
    case "backoff": wait(seconds(value))
    case "cache-control": addCacheControl(value)
    case "age": if age == nil { age = wholeNumber(value[...]).map { min($0, 1 << 31) } }
    case "alert": if alert == nil, !value.isEmpty { alert = value }
    case "content-range": if contentRange == nil { contentRange = ContentRange(value) }
    default: break
    }
  }

  /// The larger of Retry-After and Backoff, at most 24 hours. A date counts from the time of the server, so that a
  /// wrong local clock does not change the delay; from the local time only if the response has no Date.
  package var retryAfterMs: Int64? {
    let untilDate = retryAtMs.map { at in
      let now = dateMs.map { $0.addingClamped((age ?? 0) * 1000) } ?? max(0, receivedAtMs)
      return min(max(0, at.addingClamped(-now)), longestRetryAfterMs)
    }
    return [delayMs, untilDate].compactMap(\.self).max()
  }

  private mutating func wait(_ ms: Int64?) {
    guard let ms else { return }
    delayMs = max(delayMs ?? 0, min(ms, longestRetryAfterMs))
  }

  private mutating func waitUntil(_ ms: Int64?, nowMs: Int64) {
    guard let ms else { return }
    retryAtMs = max(retryAtMs ?? ms, ms)
    receivedAtMs = nowMs
  }

  /// Applies the directives of Cache-Control; the shortest lifetime counts.
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

/// Parses a delay in seconds and returns milliseconds.
private func seconds(_ value: String) -> Int64? {
  guard let number = wholeNumber(value[...]) else { return nil }
  return min(number, longestRetryAfterMs) * 1000
}

/// Parses a number that consists of digits only; a number beyond 64 bits becomes the largest integer.
private func wholeNumber(_ text: Substring) -> Int64? {
  guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
  return Int64(text) ?? .max
}

private func unquoted(_ text: Substring) -> Substring {
  text.utf8.count >= 2 && text.first == "\"" && text.last == "\"" ? text.dropFirst().dropLast() : text
}

/// Returns the text without surrounding white space and line ends.
func trimmed(_ text: Substring) -> Substring {
  // Works on bytes, because Swift treats a space and a combining mark as one character.
  var bytes = text.utf8
  while let first = bytes.first, isWhite(first) { bytes.removeFirst() }
  while let last = bytes.last, isWhite(last) { bytes.removeLast() }
  return Substring(bytes)
}

/// Returns the bytes without surrounding white space and line ends.
func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
  var bytes = bytes
  while let first = bytes.first, isWhite(first) { bytes.removeFirst() }
  while let last = bytes.last, isWhite(last) { bytes.removeLast() }
  return bytes
}

private func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

/// Whether the text can be sent as If-None-Match: `"…"` or `W/"…"` of visible ASCII, of limited length.
private func isEntityTag(_ text: String) -> Bool {
  let opaque = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
  return opaque.utf8.count >= 2 && opaque.utf8.count <= 1024 && opaque.first == "\"" && opaque.last == "\""
    && opaque.dropFirst().dropLast().utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
}
