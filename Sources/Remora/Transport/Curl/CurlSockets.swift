// SPDX-License-Identifier: Apache-2.0
//
// The descriptors of libcurl's connections, so that a forked child can close its copies without calling libcurl.
// Invariant: contains libcurl's open sockets. A number may be closed already, by the host or by libcurl, which reports
// no close of a socket that was never connected; such a number is not closed again, because another file may have it.
// Accessed within libcurl calls only, in a forked child, or by the driving thread.

internal import CCurl
internal import Glibc

/// A set of open sockets, in raw memory that lives as long as the multi handle.
struct CurlSockets {
  /// The open descriptors, with their identities.
  private var open: [Int32: FileIdentity] = [:]

  /// Creates an empty set in memory of its own.
  static func allocate() -> UnsafeMutablePointer<CurlSockets> {
    let sockets = UnsafeMutablePointer<CurlSockets>.allocate(capacity: 1)
    sockets.initialize(to: CurlSockets())
    return sockets
  }

  /// Makes every connection of the handle open and close its sockets through `sockets`.
  static func track(
    _ easy: UnsafeMutableRawPointer, opening: UnsafeMutablePointer<SocketOpening>
  ) -> CURLcode {
    rcurl_set_sockets(easy, openSocket, opening, closeSocket, opening.pointee.sockets)
  }

  /// Adds the sockets, or the eventfd, that wake `multi`; libcurl opens and closes them itself. Returns their
  /// identities, if they were found.
  mutating func addWakeup(of multi: UnsafeMutableRawPointer) -> [Int32: FileIdentity] {
    var pair: (Int32, Int32) = (-1, -1)
    let found = withUnsafeMutableBytes(of: &pair) { bytes in
      bytes.withMemoryRebound(to: Int32.self) { remora_libcurl_seal_wakeup(multi, $0.baseAddress) }
    }
    if found > 0 { note(pair.0) }
    if found > 1 { note(pair.1) }
    return open
  }

  /// Closes the child's copies without a TLS or HTTP/2 shutdown, because the peer still communicates with the parent.
  mutating func closeInForkedChild() {
    for (descriptor, identity) in open where identity.isOpen(as: descriptor) { close(descriptor) }
    open = [:]
  }

  /// Opens a socket that a program started by exec does not inherit.
  fileprivate mutating func add(_ address: curl_sockaddr) -> Int32 {
    let descriptor = socket(
      address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
    if descriptor >= 0 { note(descriptor) }
    return descriptor
  }

  private mutating func note(_ descriptor: Int32) { open[descriptor] = FileIdentity(of: descriptor) }

  fileprivate mutating func remove(_ descriptor: Int32) -> Int32 {
    let identity = open.removeValue(forKey: descriptor)
    return identity?.isOpen(as: descriptor) == false ? 0 : close(descriptor)
  }
}

/// The argument of libcurl's callback that opens a socket. One per handle, because it notes what failed for the handle.
struct SocketOpening {
  /// The set of all open sockets.
  let sockets: UnsafeMutablePointer<CurlSockets>
  /// The error number with which the system last refused a socket to the current transfer; 0 if it did not.
  var refusal: Int32 = 0

  fileprivate mutating func open(_ address: curl_sockaddr) -> Int32 {
    let descriptor = sockets.pointee.add(address)
    if descriptor < 0 { refusal = errno }
    return descriptor
  }
}

/// Returns the error number with which the system refuses a new descriptor; 0 if it grants one.
func refusalOfDescriptors() -> Int32 {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { return errno }
  close(descriptor)
  return 0
}

private func openSocket(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context, let address else { return -1 }
  return context.assumingMemoryBound(to: SocketOpening.self).pointee.open(address.pointee)
}

private func closeSocket(_ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> Int32 {
  guard let context else { return close(descriptor) }
  return context.assumingMemoryBound(to: CurlSockets.self).pointee.remove(descriptor)
}
