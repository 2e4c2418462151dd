// SPDX-License-Identifier: Apache-2.0
//
// A cache of verified chains, so that a refresh neither fetches nor verifies a chain again while it is valid.
// Invariant: a returned chain or key is valid at the requested instant, under the requested policy.

internal import Synchronization

/// Caches verified chains by their bytes, and by the URL from which each was fetched.
///
/// Safe to use from any thread. No fork may happen while its lock is held; the library's threads ensure that by their
/// gates. No chain is verified with the lock held. Two chains are equal if all bytes, the pin and the signer are.
package final class ChainCache: Sendable {
  /// A chain that was verified under one policy.
  private struct VerifiedChain {
    let pem: [UInt8]
    let root: RootPin
    let signer: String
    let key: SignerKey
  }

  /// The chain that a URL served last, verified under any policy.
  private struct ServedChain {
    let url: String
    let pem: [UInt8]
    let key: SignerKey
  }

  /// The entries, in each list the most recently used last.
  private struct Lists {
    var verified: [VerifiedChain] = []
    var served: [ServedChain] = []
  }

  /// The maximum number of entries of each list.
  private let capacity: Int
  private let lists = Mutex(Lists())

  /// Creates an empty cache for at most `capacity` chains and as many URLs.
  package init(capacity: Int = 16) { self.capacity = max(1, capacity) }

  /// Returns the bytes that a URL served if their chain is valid at an instant; nil if the chain must be fetched.
  package func pem(fromURL url: String, atMs instant: Int64) -> [UInt8]? {
    lists.withLock { lists in
      guard let index = lists.served.firstIndex(where: { $0.url == url }) else { return nil }
      let entry = lists.served.remove(at: index)
      guard entry.key.isValid(atMs: instant) else { return nil }
      lists.served.append(entry)
      return entry.pem
    }
  }

  /// Returns the signer's key of a chain, from the cache or by verifying the chain and caching it.
  ///
  /// - Parameters:
  ///   - pem: The PEM text of the chain.
  ///   - url: The URL of the chain (the x5u), under which `pem(fromURL:atMs:)` finds it later; nil caches no URL.
  ///   - root: The pin of the policy.
  ///   - signer: The signer's name of the policy.
  ///   - instant: The time at which the chain must be valid, in milliseconds since 1970.
  /// - Throws: The errors of `verifyChain`; failures are not cached.
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
      remember(VerifiedChain(pem: pem, root: root, signer: signer, key: key), in: &lists.verified)
      if let url { remember(ServedChain(url: url, pem: pem, key: key), in: &lists.served) }
    }
    return key
  }

  /// Removes a URL from the cache: after a signature mismatch, so that the next attempt fetches the chain again.
  package func forget(url: String) {
    lists.withLock { $0.served.removeAll { $0.url == url } }
  }

  /// Returns the cached key of a chain that was verified under this policy and is valid at the instant.
  private func knownKey(pem: [UInt8], root: RootPin, signer: String, atMs instant: Int64) -> SignerKey? {
    let entry = lists.withLock { lists in
      lists.verified.first { $0.root == root && $0.signer == signer && $0.pem == pem }
    }
    return entry.flatMap { $0.key.isValid(atMs: instant) ? $0.key : nil }
  }

  private func remember(_ entry: VerifiedChain, in verified: inout [VerifiedChain]) {
    verified.removeAll { $0.root == entry.root && $0.signer == entry.signer && $0.pem == entry.pem }
    if verified.count >= capacity { verified.removeFirst() }
    verified.append(entry)
  }

  private func remember(_ entry: ServedChain, in served: inout [ServedChain]) {
    served.removeAll { $0.url == entry.url }
    if served.count >= capacity { served.removeFirst() }
    served.append(entry)
  }
}
