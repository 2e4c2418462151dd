// SPDX-License-Identifier: Apache-2.0
//
// The header lines of a request, as libcurl takes them.

internal import CCurl

/// A list of header lines. Freed by `free` and not by its end: a forked child abandons it.
struct CurlHeaders {
  /// libcurl's list.
  let list: UnsafeMutablePointer<curl_slist>?

  /// Makes a list; nil without memory.
  init?(_ lines: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = rcurl_slist_append(list, line) else {
        rcurl_slist_free_all(list)
        return nil
      }
      list = longer
    }
    self.list = list
  }

  func free() { rcurl_slist_free_all(list) }
}

extension HTTPRequest {
  /// The header lines that all requests have with these options.
  var sharedHeaders: [String] {
    var lines = options.headers.map(asCurlHeader)
    if destination != nil {
      lines.append("Accept-Encoding: identity")
    } else if rcurl_can_inflate() != 0 {
      lines.append("Accept-Encoding: gzip")
    }
    // There is no body for libcurl's own Content-Type to speak of.
    if method == .post { lines.append("Content-Type:") }
    return lines
  }

  /// Those that this request has beside them.
  var ownHeaders: [String] {
    var lines: [String] = []
    if let destination, destination.offset > 0 { lines.append("Range: bytes=\(destination.offset)-") }
    if let ifNoneMatch { lines.append("If-None-Match: \(ifNoneMatch)") }
    return lines
  }
}

/// libcurl reads "Name:" as the wish to leave a header out, and "Name;" as one without a value.
private func asCurlHeader(_ line: String) -> String {
  guard let colon = line.firstIndex(of: ":"), line[colon...].dropFirst().allSatisfy({ $0 == " " || $0 == "\t" }) else {
    return line
  }
  return line[..<colon] + ";"
}
