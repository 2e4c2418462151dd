// SPDX-License-Identifier: Apache-2.0
//
// The host of a URL: a DNS name, a dotted IPv4 address, or an IPv6 address in brackets.
// Invariant: each host has one spelling, which no other parser reads as a different address.

internal import Glibc

/// A valid host in canonical spelling: lower case, IPv6 compressed and in brackets.
package struct HostName: Hashable, Sendable {
  package enum Kind: Sendable { case name, ipv4, ipv6 }

  package let text: String
  package let kind: Kind

  /// Parses the host part of a URL, which is ASCII; nil if it is invalid.
  init?(_ bytes: ArraySlice<UInt8>) {
    if bytes.first == UInt8(ascii: "[") {
      guard bytes.last == UInt8(ascii: "]"), let address = canonicalIPv6(bytes.dropFirst().dropLast()) else {
        return nil
      }
      text = "[\(address)]"
      kind = .ipv6
      return
    }
    let name = bytes.map(lowercased)
    guard let last = lastLabel(ofName: name) else { return nil }
    // Resolvers read 127.1, 0x7f.1 and 2130706433 as addresses; here only four plain decimals are one.
    if isNumeric(last) {
      guard isIPv4(name) else { return nil }
      kind = .ipv4
    } else {
      kind = .name
    }
    text = String(decoding: name, as: UTF8.self)
  }

  /// Whether the host's text denotes this machine.
  package var isLoopback: Bool {
    switch kind {
    case .name: text == "localhost" || text.hasSuffix(".localhost")
    case .ipv4: text.hasPrefix("127.")
    case .ipv6: text == "[::1]"
    }
  }
}

/// Returns the last label of a name; nil if the text is not a name. A name has labels of 1 to 63 lower-case letters,
/// digits, hyphens and underscores, in at most 253 bytes; a final dot is allowed.
private func lastLabel(ofName name: [UInt8]) -> ArraySlice<UInt8>? {
  guard name.count <= 253 else { return nil }
  let end = name.last == UInt8(ascii: ".") ? name.count - 1 : name.count
  var start = 0
  for index in 0..<end where name[index] == UInt8(ascii: ".") {
    guard isLabel(name[start..<index]) else { return nil }
    start = index + 1
  }
  let last = name[start..<end]
  return isLabel(last) ? last : nil
}

private func isLabel(_ bytes: ArraySlice<UInt8>) -> Bool {
  guard bytes.count >= 1, bytes.count <= 63, bytes.first != UInt8(ascii: "-"), bytes.last != UInt8(ascii: "-") else {
    return false
  }
  return bytes.allSatisfy { byte in
    (byte >= 0x61 && byte <= 0x7A) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}

private func isNumeric(_ label: ArraySlice<UInt8>) -> Bool {
  label.allSatisfy(isDigit) || (isEqual(label.prefix(2), "0x") && label.dropFirst(2).allSatisfy(isHexDigit))
}

/// Whether a text is four decimals up to 255, without leading zeros.
private func isIPv4(_ text: [UInt8]) -> Bool {
  var parts = 1
  var digits = 0
  var number = 0
  for byte in text {
    if byte == UInt8(ascii: ".") {
      guard digits > 0 else { return false }
      parts += 1
      (digits, number) = (0, 0)
    } else {
      guard isDigit(byte), digits == 0 || number > 0 else { return false }
      digits += 1
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
      guard number <= 255 else { return false }
    }
  }
  return parts == 4 && digits > 0
}

/// Returns the address as the system writes it; nil if it is invalid or has a zone.
private func canonicalIPv6(_ bytes: ArraySlice<UInt8>) -> String? {
  guard bytes.count <= 45, !bytes.contains(UInt8(ascii: "%")) else { return nil }
  var address = in6_addr()
  guard inet_pton(AF_INET6, String(decoding: bytes, as: UTF8.self), &address) == 1 else { return nil }
  var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
  guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
  return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
