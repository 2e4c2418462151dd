// SPDX-License-Identifier: Apache-2.0
//
// The header lines of a request, in libcurl's form.

internal import CCurl

/// A libcurl list of header lines. Freed by `free` rather than automatically, because a forked child must abandon it.
struct CurlHeaders {
  /// libcurl's list.
  let list: UnsafeMutablePointer<curl_slist>?

  /// Creates a list; nil if memory is exhausted.
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
  /// The header lines that all requests with these options have in common.
  var sharedHeaders: [String] {
    var lines = options.headers.map(asCurlHeader)
    if destination != nil {
      lines.append("Accept-Encoding: identity")
    } else if rcurl_can_inflate() != 0 {
      lines.append("Accept-Encoding: gzip")
    }
    // The body is empty, so the Content-Type that libcurl adds by default is removed.
    if method == .post { lines.append("Content-Type:") }
    return lines
  }

  /// The header lines that only this request has.
  var ownHeaders: [String] {
    var lines: [String] = []
    if let destination, destination.offset > 0 { lines.append("Range: bytes=\(destination.offset)-") }
    if let ifNoneMatch { lines.append("If-None-Match: \(ifNoneMatch)") }
    return lines
  }
}

/// Writes an empty header as "Name;": libcurl removes a header that is written "Name:".
private func asCurlHeader(_ line: String) -> String {
  guard let colon = line.firstIndex(of: ":"), line[colon...].dropFirst().allSatisfy({ $0 == " " || $0 == "\t" }) else {
    return line
  }
  return line[..<colon] + ";"
}
