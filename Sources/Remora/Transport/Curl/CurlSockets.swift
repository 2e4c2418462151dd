// SPDX-License-Identifier: Apache-2.0
//
// The descriptors of libcurl's connections, so that a forked child can close its copies without calling libcurl.
// Invariant: contains exactly libcurl's open sockets. Accessed within libcurl calls only, or in a forked child.

internal import CCurl
internal import Glibc

/// A set of open sockets, in raw memory that lives as long as the multi handle.
struct CurlSockets {
  /// The open descriptors.
  private var open: Set<Int32> = []

  /// Creates an empty set in memory of its own.
  static func allocate() -> UnsafeMutablePointer<CurlSockets> {
    let sockets = UnsafeMutablePointer<CurlSockets>.allocate(capacity: 1)
    sockets.initialize(to: CurlSockets())
    return sockets
  }

  /// Makes every connection of the handle open and close its sockets through `sockets`.
  static func track(_ easy: UnsafeMutableRawPointer, in sockets: UnsafeMutablePointer<CurlSockets>) -> CURLcode {
    rcurl_set_sockets(easy, openSocket, closeSocket, sockets)
  }

  /// Adds the sockets that wake `multi`; libcurl opens and closes them itself.
  mutating func addWakeup(of multi: UnsafeMutableRawPointer) {
    var pair: (Int32, Int32) = (-1, -1)
    let found = withUnsafeMutableBytes(of: &pair) { bytes in
      bytes.withMemoryRebound(to: Int32.self) { remora_libcurl_seal_wakeup(multi, $0.baseAddress) }
    }
    if found != 0 { open.formUnion([pair.0, pair.1]) }
  }

  /// Closes the child's copies without a TLS or HTTP/2 shutdown, because the peer still communicates with the parent.
  mutating func closeInForkedChild() {
    for descriptor in open { close(descriptor) }
    open = []
  }

  /// Opens a socket that a program started by exec does not inherit.
  fileprivate mutating func add(_ address: curl_sockaddr) -> Int32 {
    let descriptor = socket(
      address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
    if descriptor >= 0 { open.insert(descriptor) }
    return descriptor
  }

  fileprivate mutating func remove(_ descriptor: Int32) -> Int32 {
    open.remove(descriptor)
    return close(descriptor)
  }
}

private func openSocket(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context, let address else { return -1 }
  return context.assumingMemoryBound(to: CurlSockets.self).pointee.add(address.pointee)
}

private func closeSocket(_ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> Int32 {
  guard let context else { return close(descriptor) }
  return context.assumingMemoryBound(to: CurlSockets.self).pointee.remove(descriptor)
}
