// SPDX-License-Identifier: Apache-2.0
//
// Chains that were verified already: a refresh within a chain's life neither fetches nor verifies it again.
// Invariant: what is answered holds at the instant that was asked for, under the policy that was asked for.

internal import Synchronization

/// Remembers verified chains by their bytes, and the URL that each came from.
///
/// Safe from any thread, but a fork must not happen inside: threads of the library hold a gate. No chain is verified inside
/// its lock. Two chains are the same when all bytes, the pin and the signer are.
package final class ChainCache: Sendable {
  /// A chain under one policy.
  private struct Verified {
    let pem: [UInt8]
    let root: RootPin
    let signer: String
    let key: SignerKey
  }

  /// What a URL last served, once it was verified under any policy.
  private struct Served {
    let url: String
    let pem: [UInt8]
    let key: SignerKey
  }

  /// What it remembers, in each list the most recently used last.
  private struct Lists {
    var verified: [Verified] = []
    var served: [Served] = []
  }

  /// The most entries of each list.
  private let capacity: Int
  private let lists = Mutex(Lists())

  /// Makes an empty cache that keeps at most `capacity` chains, and as many URLs.
  package init(capacity: Int = 16) { self.capacity = max(1, capacity) }

  /// The bytes that a URL served, if their chain is valid at an instant; else nil, and the chain must be fetched.
  package func pem(fromURL url: String, atMs instant: Int64) -> [UInt8]? {
    lists.withLock { lists in
      guard let index = lists.served.firstIndex(where: { $0.url == url }) else { return nil }
      let entry = lists.served.remove(at: index)
      guard entry.key.isValid(atMs: instant) else { return nil }
      lists.served.append(entry)
      return entry.pem
    }
  }

  /// The signer's key of a chain: known, or verified now and then known.
  ///
  /// - Parameters:
  ///   - pem: The chain's text.
  ///   - url: Where it came from (the x5u), to be asked for by `pem(fromURL:atMs:)`; nil remembers no URL.
  ///   - root: The pin of the policy.
  ///   - signer: The signer's name of the policy.
  ///   - instant: The time to judge by, in milliseconds since 1970.
  /// - Throws: as `verifyChain`; a failure is not remembered.
  package func signerKey(
    pem: [UInt8], fromURL url: String?, root: RootPin, signer: String, atMs instant: Int64
  ) throws(RemoraError) -> SignerKey {
    let key: SignerKey
    if let known = knownKey(pem: pem, root: root, signer: signer, atMs: instant) {
      key = known
    } else {
      key = try verifyChain(pem: pem, root: root, signer: signer, atMs: instant)
    }
    lists.withLock { lists in
      remember(Verified(pem: pem, root: root, signer: signer, key: key), in: &lists.verified)
      if let url { remember(Served(url: url, pem: pem, key: key), in: &lists.served) }
    }
    return key
  }

  /// Forgets what a URL served: after a signature mismatch, so that the next attempt fetches the chain anew.
  package func forget(url: String) {
    lists.withLock { $0.served.removeAll { $0.url == url } }
  }

  /// The key of a chain that was verified under this policy and is valid at the instant.
  private func knownKey(pem: [UInt8], root: RootPin, signer: String, atMs instant: Int64) -> SignerKey? {
    let entry = lists.withLock { lists in
      lists.verified.first { $0.root == root && $0.signer == signer && $0.pem == pem }
    }
    return entry.flatMap { $0.key.isValid(atMs: instant) ? $0.key : nil }
  }

  private func remember(_ entry: Verified, in verified: inout [Verified]) {
    verified.removeAll { $0.root == entry.root && $0.signer == entry.signer && $0.pem == entry.pem }
    if verified.count >= capacity { verified.removeFirst() }
    verified.append(entry)
  }

  private func remember(_ entry: Served, in served: inout [Served]) {
    served.removeAll { $0.url == entry.url }
    if served.count >= capacity { served.removeFirst() }
    served.append(entry)
  }
}
