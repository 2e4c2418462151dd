// SPDX-License-Identifier: Apache-2.0
//
// Packaged data whose signature does not hold, or is not looked at.

import Testing

@testable import Remora

extension PackagedSignatureTests {
  @Test("packaged data with an invalid signature is used as unverified data, with one warning in the log")
  func refused() throws {
    let stranger = try TestChain(
      root: .root.around(TestTime.now), intermediates: [.intermediate.around(TestTime.now)],
      leaf: .leaf.around(TestTime.now))
    let faults: [(words: String, change: (inout Package) throws -> Void)] = [
      ("does not match", { $0.signature = forgedSignature }),
      ("not base64url", { $0.signature = "?" }),
      ("does not match", { $0.records[0] = record("a", #""v":2"#, at: 1000) }),
      ("does not match", { $0.timestamp += 1 }),
      ("has no certificate", { $0.chain = "nothing" }),
      ("longer than 65536 bytes", { $0.chain += String(repeating: "x", count: 65_536) }),
      ("is expected", { $0.chain = stranger.pem }),
      (
        "ahead of the clock",
        {
          $0.timestamp = TestTime.nowMs + 2 * dayMs
          $0.signature = try server.sign($0.records, at: $0.timestamp)
        }
      ),
    ]
    for (index, fault) in faults.enumerated() {
      let scene = try scene()
      let handle = try open(scene, packaged(fault.change))
      #expect(handle.refresh().error == nil, "\(fault.words)")
      #expect(handle.refresh().error == nil)
      #expect(try handle.source.info().origin == .fetched, "\(fault.words)")
      // A close drops what was not delivered yet.
      #expect(warnings.wait { $0.count > index })
      scene.client.close()
    }
    for (line, fault) in zip(warnings.read { $0 }, faults) {
      #expect(line.contains("packaged data is not verified") && line.contains(fault.words), "\(line)")
    }
    #expect(warnings.read(\.count) == faults.count)
  }

  @Test("packaged data with an expired certificate chain stays unverified, and its signature is checked only once")
  func expired() throws {
    let clock = ManualClock(TestTime.nowMs + 2_000_000)
    let scene = try scene(clock: clock)
    scene.transport.answer { _ in .failure(RemoraError(.network, "down")) }
    let handle = try open(scene, packaged())
    #expect(handle.refresh().error?.code == .network)
    clock.set(TestTime.nowMs)
    #expect(handle.refresh().error?.code == .network)
    #expect(!handle.isVerified)
    #expect(handle.keys == ["a"])
    // Its own, and those of both refreshes.
    #expect(warnings.wait { $0.count == 3 })
    #expect(warnings.read { $0.filter { $0.contains("is expired") }.count } == 1)
  }

  @Test("packaged data is verified even if the server is down")
  func withoutServer() throws {
    let scene = try scene()
    scene.transport.answer { _ in .failure(RemoraError(.network, "down")) }
    let handle = try open(scene, packaged())
    #expect(handle.refresh().error?.code == .network)
    #expect(handle.isVerified)
  }

  @Test(
    "packaged metadata that lacks a signature or its certificate chain is ignored without a warning",
    arguments: [
      "null", "[]", #""text""#, "{}", #"{"signatures":null}"#, #"{"signatures":[]}"#, #"{"signatures":"x"}"#,
      #"{"signatures":[null,1,"x",[]]}"#, #"{"signature":7}"#, #"{"signatures":[{"mode":"p384ecdsa"}]}"#,
      #"{"signatures":[{"signature":"AAAA","x5u":"https://x.example/"}]}"#,
      #"{"signatures":[{"signature":"AAAA","chain":["x"]}]}"#, #"{"signatures":[{"chain":"x"}]}"#,
      #"{"signatures":[{"signature":"AAAA","chain":""}]}"#,
    ])
  func asNone(metadata: String) throws {
    let scene = try scene()
    let record = try server.changeset().changes[0]
    let json = #"{"data":[\#(record)],"metadata":\#(metadata),"timestamp":1000}"#
    let handle = try open(scene, .bytes(Array(json.utf8)))
    #expect(handle.refresh().outcome == .updated)
    scene.client.close()
    #expect(warnings.read(\.isEmpty))
  }

  @Test("a packaged signature of an unknown mode causes a warning only if no other signature exists")
  func unknownMode() throws {
    let first = #"{"mode":"mldsa65","signature":"AAAA","chain":"x"},"#
    let scene = try scene()
    #expect(try open(scene, packaged { $0.before = first }).refresh().outcome == .unchanged)
    let alone = try self.scene()
    #expect(try open(alone, packaged { $0.mode = "mldsa65" }).refresh().outcome == .updated)
    #expect(warnings.wait { !$0.isEmpty })
    alone.client.close()
    #expect(warnings.read { $0.map { $0.contains("no signature of mode p384ecdsa") } } == [true])
  }

  @Test("with signatures turned off, packaged data is not verified")
  func off() throws {
    let scene = try scene()
    let data = try packaged()
    let handle = try scene.open {
      $0.packaged = data
      $0.requiresSignature = false
    }
    #expect(handle.refresh().outcome == .updated)
    #expect(!handle.isVerified)
  }
}
