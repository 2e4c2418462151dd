// SPDX-License-Identifier: Apache-2.0
//
// The host of a URL: a DNS name, a dotted IPv4 address, or an IPv6 address in brackets.
// Invariant: one host has one spelling, and no spelling that another parser reads as a different address.

internal import Glibc

/// A valid host in its one spelling: lower case, IPv6 compressed and bracketed.
package struct HostName: Hashable, Sendable {
  /// What kind of host it is.
  package enum Kind: Sendable { case name, ipv4, ipv6 }

  /// The host as it stands in a URL.
  package let text: String
  /// How the text is to be read.
  package let kind: Kind

  /// Reads the host part of a URL; nil when it is none.
  package init?(_ text: Substring) {
    if text.first == "[" {
      guard text.last == "]", let address = canonicalIPv6(text.dropFirst().dropLast()) else { return nil }
      self.text = "[\(address)]"
      kind = .ipv6
      return
    }
    let lowered = text.lowercased()
    guard isName(lowered) else { return nil }
    let labels = lowered.split(separator: ".", omittingEmptySubsequences: true)
    guard let last = labels.last else { return nil }
    // Resolvers read 127.1, 0x7f.1 and 2130706433 as addresses: only four plain decimals are one here.
    if isNumeric(last) {
      guard isIPv4(lowered) else { return nil }
      kind = .ipv4
    } else {
      kind = .name
    }
    self.text = lowered
  }

  /// Whether requests to the host stay on this machine, as far as its text says.
  package var isLoopback: Bool {
    switch kind {
    case .name: text == "localhost" || text.hasSuffix(".localhost")
    case .ipv4: text.hasPrefix("127.")
    case .ipv6: text == "[::1]"
    }
  }
}

/// Labels of 1 to 63 letters, digits, hyphens and underscores; at most 253 bytes; a final dot is allowed.
private func isName(_ text: String) -> Bool {
  var labels = text.split(separator: ".", omittingEmptySubsequences: false)
  if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
  return text.utf8.count <= 253
    && labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { byte in
          (byte >= 0x61 && byte <= 0x7A) || (byte >= 0x30 && byte <= 0x39) || byte == 0x2D || byte == 0x5F
        }
    }
}

private func isNumeric(_ label: Substring) -> Bool {
  label.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    || (label.hasPrefix("0x")
      && label.dropFirst(2).utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) })
}

private func isIPv4(_ text: String) -> Bool {
  let parts = text.split(separator: ".", omittingEmptySubsequences: false)
  return parts.count == 4
    && parts.allSatisfy { part in
      guard (1...3).contains(part.utf8.count), let number = Int(part) else { return false }
      return number <= 255 && (part.utf8.count == 1 || part.first != "0")
    }
}

/// The address as the system writes it; no zone.
private func canonicalIPv6(_ text: Substring) -> String? {
  guard text.utf8.count <= 45, !text.utf8.contains(UInt8(ascii: "%")), !text.utf8.contains(0) else { return nil }
  var address = in6_addr()
  guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
  var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
  guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
  return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
