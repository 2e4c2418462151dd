// SPDX-License-Identifier: Apache-2.0
//
// Packaged data that brings its signature and chain: what holds counts from the first refresh or sync on, and what does
// not hold stays on the host's word.

import Testing

@testable import Remora

@Suite("Signatures and certificate chains in packaged data")
struct PackagedSignatureTests {
  let server: SignedServer
  let warnings = Box<[String]>([])

  init() throws {
    server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
  }

  func scene(in directory: TemporaryDirectory? = nil, clock: ManualClock = ManualClock()) throws -> Scene {
    let log = Log(level: .warning) { [warnings] line in warnings.update { $0.append(line.text) } }
    return try Scene(in: directory, server: server, clock: clock, log: log)
  }

  /// The server's present state as a host packages it.
  func packaged(_ change: (inout Package) throws -> Void = { _ in }) throws -> PackagedData {
    let full = try server.changeset()
    var package = Package(
      records: full.changes, timestamp: full.timestamp,
      signature: try server.sign(full.changes, at: full.timestamp), chain: server.chain.pem)
    try change(&package)
    return .bytes(Array(package.text.utf8))
  }

  func open(_ scene: Scene, _ packaged: PackagedData) throws -> OpenSource {
    try scene.open { $0.packaged = packaged }
  }

  /// A server of the same name and chain in another state.
  func other() throws -> SignedServer { try SignedServer(chain: server.chain, base: server.base) }

  @Test("the first refresh verifies signed packaged data, and then the signature of the server's response")
  func verified() throws {
    let scene = try scene()
    let handle = try open(scene, packaged())
    #expect(!handle.isVerified)
    #expect(scene.transport.requests.isEmpty)
    #expect(handle.refresh().outcome == .unchanged)
    #expect(handle.isVerified)
    #expect(try handle.source.info().origin == .packaged)
    #expect(scene.transport.urls == ["changeset?_expected=0&_since=1000", "chain.pem"])
    #expect(handle.refresh().outcome == .unchanged)
    #expect(handle.keys == ["a"])
    #expect(warnings.read(\.isEmpty))
  }

  @Test("the first version after the packaged data is requested as a diff")
  func diff() throws {
    let scene = try scene()
    let handle = try open(scene, packaged())
    server.put("b", at: 2000)
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.keys == ["a", "b"])
    #expect(scene.transport.urls.first == "changeset?_expected=0&_since=1000")
  }

  @Test("the packaged member 'signature' is used if the list 'signatures' is missing")
  func singleSignature() throws {
    let scene = try scene()
    let handle = try open(scene, packaged { $0.isListed = false })
    #expect(handle.refresh().outcome == .unchanged)
    #expect(handle.isVerified)
  }

  @Test("an older signed response replaces unverified packaged data, but not verified packaged data")
  func floor() throws {
    let old = try other()
    old.put("z", at: 900)
    for (signature, outcome, keys) in [(nil, Outcome.notNewer, ["a"]), ("", .updated, ["z"])] {
      let scene = try scene()
      let handle = try open(scene, packaged { $0.signature = signature ?? $0.signature })
      scene.transport.answer { .success(old.answer($0.url)) }
      #expect(handle.refresh().outcome == outcome)
      #expect(handle.keys == keys)
    }
  }

  @Test("a response with the timestamp of verified packaged data but other content is refused")
  func equivocation() throws {
    let scene = try scene()
    let handle = try open(scene, packaged())
    let liar = try other()
    liar.put("a", #""v":2"#, at: 1000)
    let full = try liar.changeset().response
    scene.transport.answer { .success($0.url.hasSuffix(".pem") ? liar.answer($0.url) : full) }
    #expect(handle.refresh().error?.code == .equivocation)
    #expect(handle.isVerified)
  }

  @Test("if the server lists packaged data's timestamp, a sync requests the collection only if that data is unsigned")
  func sync() throws {
    for (signature, outcome, requests) in [(nil, Outcome.unchanged, 1), ("", .updated, 3)] {
      let monitored = try MonitoredServer(["c"], base: server.base)
      monitored["c"].put("a", at: 1000)
      let scene = try scene()
      scene.transport.answer { monitored.answer($0.url) }
      let handle = try open(scene, packaged { $0.signature = signature ?? $0.signature })
      let report = try scene.client.sync(timeoutMs: -1)
      #expect(report.outcomes == [outcome])
      #expect(scene.transport.requests.count == requests)
      #expect(handle.isVerified)
    }
  }

  @Test("versions older than verified packaged data are not accepted, even after a restart without that data")
  func storedFloor() throws {
    let directory = try TemporaryDirectory()
    let running = try scene(in: directory)
    let handle = try running.open()
    let monitored = try MonitoredServer(["c"], base: server.base)
    monitored["c"].put("a", at: 1000)
    let first = try scene(in: directory)
    first.transport.answer { monitored.answer($0.url) }
    _ = try open(first, packaged())
    #expect(try first.client.sync(timeoutMs: -1).outcomes == [.unchanged])
    first.client.close()
    let old = try other()
    old.put("z", at: 900)
    running.transport.answer { .success(old.answer($0.url)) }
    #expect(handle.refresh().outcome == .notNewer)
    running.client.close()
    let later = try Scene(in: directory, server: old)
    #expect(try later.open().refresh().outcome == .notNewer)
  }

  @Test("after a reset, packaged data is not verified again, and a signed version older than it is accepted")
  func reset() throws {
    let directory = try TemporaryDirectory()
    let scene = try scene(in: directory)
    let handle = try open(scene, packaged())
    handle.refresh()
    #expect(handle.isVerified)
    try handle.source.reset()
    #expect(handle.keys == ["a"])
    #expect(!handle.isVerified)
    let old = try other()
    old.put("z", at: 900)
    scene.transport.answer { .success(old.answer($0.url)) }
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.keys == ["z"])
    scene.client.close()
    let second = try self.scene(in: directory)
    second.transport.answer { _ in .failure(RemoraError(.network, "down")) }
    let again = try open(second, packaged())
    again.refresh()
    #expect(!again.isVerified)
  }

  @Test("signed packaged data is verified even if filters hide some of its records")
  func around() throws {
    server.put("beta", #""filter_expression":"env.channel == 'beta'""#, at: 1000)
    let directory = try TemporaryDirectory()
    let scene = try scene(in: directory)
    let handle = try open(scene, packaged())
    handle.refresh()
    #expect(handle.isVerified)
    #expect(try handle.shown == ["a"])
    try scene.client.setContext(#"{"channel":"beta"}"#)
    #expect(handle.isVerified)
    #expect(try handle.shown == ["a", "beta"])
    let data = try packaged { $0.signature = forgedSignature }
    server.put("b", at: 2000)
    #expect(handle.refresh().outcome == .updated)
    scene.client.close()
    let second = try self.scene(in: directory)
    #expect(try open(second, data).refresh().outcome == .unchanged)
    second.client.close()
    #expect(warnings.read(\.isEmpty))
  }

  @Test("a forked child verifies packaged data that its parent has not verified", .forks)
  func fork() throws {
    let scene = try scene()
    let handle = try open(scene, packaged())
    let status = inForkedChild {
      Runtime.shared.worker.perform { handle.source.packaged.verify(nil, $0) }
      return handle.isVerified ? 0 : 1
    }
    #expect(status == 0)
    #expect(!handle.isVerified)
  }
}

/// Packaged data before it is text.
struct Package {
  var records: [String]
  var timestamp: Int64
  var signature: String
  var chain: String
  var mode = "p384ecdsa"
  /// Members of the list that come first.
  var before = ""
  /// Whether the signature is in a list, as it is today.
  var isListed = true

  var text: String {
    let pem = chain.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
    let one = #"{"mode":"\#(mode)","signature":"\#(signature)","x5u":"https://x.example/","chain":"\#(pem)"}"#
    let metadata = isListed ? #"{"signatures":[\#(before)\#(one)]}"# : #"{"signature":\#(one)}"#
    return #"{"data":[\#(records.joined(separator: ","))],"metadata":\#(metadata),"timestamp":\#(timestamp)}"#
  }
}

extension OpenSource {
  var isVerified: Bool { (try? source.acquire().base.metadata.isVerified) ?? false }
}
