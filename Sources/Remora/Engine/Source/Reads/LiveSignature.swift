// SPDX-License-Identifier: Apache-2.0
//
// What the live data can be verified with once more, for who packages it.

extension Source {
  /// The signature by which the live data was accepted, with its chain, as packaged data brings them; nil when none was,
  /// or its chain is not known any more. Waits while the worker does a job.
  package func liveSignature() throws(RemoraError) -> ContentSignature? {
    var found: ContentSignature?
    try runtime.worker.perform { right throws(RemoraError) in
      let parts = live(right).base.metadata.signature.split(separator: " ", maxSplits: 2).map(String.init)
      guard parts.count == 3 else { return }
      var signature = ContentSignature(mode: parts[0], signature: parts[1], x5u: parts[2])
      let url = try dialect.chain(of: signature).urlText
      guard let chain = runtime.worker.chains(right).pem(fromURL: url, atMs: services.options.clock.nowMs) else {
        return
      }
      signature.chain = chain
      found = signature
    }
    return found
  }
}
