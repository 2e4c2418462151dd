// SPDX-License-Identifier: Apache-2.0
//
// Activation over files that are damaged, and calls of the system that fail.

import Testing

@testable import Remora

extension ActivationSharingTests {
  @Test("fetched data whose stored file is damaged is not used, and the next refresh fetches it again")
  func damaged() throws {
    let first = try scene()
    try first.open { $0.activation = .manual }.refresh()
    first.client.close()
    let file = "storage/\(fileName(.staged, of: StorageName(hashing: try server.dialect().identity)))"
    var bytes = try #require(directory.read(file))
    bytes[bytes.count - 1] ^= 1
    try directory.write(file, bytes)
    let second = try scene()
    let handle = try second.open { $0.activation = .nextSetup }
    #expect(handle.keys == ["a"])
    #expect(try handle.source.info().storageError?.code == .corrupt)
    #expect(handle.refresh().outcome == .staged)
    #expect(second.transport.urls.first == "changeset?_expected=0&_since=1000")
    second.client.close()
    #expect(try scene().keysAndClose() == ["a", "b"])
  }

  @Test("a damaged file of current data is not kept as the previous version when newer fetched data replaces it")
  func damagedLive() throws {
    let first = try scene()
    let handle = try first.open()
    #expect(handle.refresh().outcome == .updated)
    try handle.source.freeze()
    server.put("c", at: 3000)
    #expect(handle.refresh().outcome == .staged)
    first.client.close()
    let name = StorageName(hashing: try server.dialect().identity)
    func damage() throws {
      let file = "storage/\(fileName(.live, of: name))"
      var bytes = try #require(directory.read(file))
      bytes[bytes.count - 1] ^= 1
      try directory.write(file, bytes)
    }
    try damage()
    #expect(try scene().keysAndClose() == ["a", "b", "c"])
    try damage()
    #expect(try scene().keysAndClose() == ["a"])
  }

  @Test("after a crash while fetched data is stored or activated, the old or the new data is readable")
  func crashes() throws {
    for isActivating in [false, true] {
      for number in 1...40 {
        let directory = try TemporaryDirectory()
        let server = try SignedServer.onOwnHost()
        server.put("a", at: 1000)
        try Scene(in: directory, server: server).fetchAndClose()
        server.put("b", at: 2000)
        let faults = FaultySystemCalls()
        let scene = try Scene(in: directory, server: server, calls: faults.calls)
        let handle = try scene.open { $0.activation = .manual }
        if isActivating { handle.refresh() }
        faults.arm([number: .crash(.torn)])
        if isActivating { #expect(try handle.source.activate() == .updated) } else { handle.refresh() }
        let isClean = faults.callCount < number
        faults.disarm()
        scene.client.close()
        let careful = try Scene(in: directory, server: server)
        let found = try careful.open { $0.activation = .manual }
        let (keys, hasStaged) = try (found.keys, found.source.info().hasStaged)
        #expect(isActivating ? (keys == ["a", "b"]) != hasStaged : keys == ["a"], "call \(number)")
        if isClean { #expect(isActivating ? keys == ["a", "b"] : hasStaged) }
        careful.client.close()
        let eager = try Scene(in: directory, server: server)
        let last = try eager.open()
        if isActivating { #expect(last.keys == ["a", "b"], "call \(number)") }
        last.refresh()
        #expect(last.keys == ["a", "b"], "call \(number)")
        if isClean { break }
        #expect(number < 40)
      }
    }
  }

  @Test("if one system call fails once, fetched data can still be activated, and reads return it")
  func failures() throws {
    for number in 1...60 {
      let directory = try TemporaryDirectory()
      let server = try SignedServer.onOwnHost()
      server.put("a", at: 1000)
      let faults = FaultySystemCalls()
      let scene = try Scene(in: directory, server: server, calls: faults.calls)
      let handle = try scene.open { $0.activation = .manual }
      faults.arm([number: .fails(errno: 5)])
      #expect(handle.refresh().outcome == .staged, "call \(number)")
      #expect(try handle.source.activate() == .updated, "call \(number)")
      #expect(handle.keys == ["a"], "call \(number)")
      let isClean = faults.callCount < number
      faults.disarm()
      #expect(handle.refresh().outcome == .unchanged, "call \(number)")
      scene.client.close()
      #expect(try Scene(in: directory, server: server).keysAndClose() == ["a"], "call \(number)")
      if isClean { return }
    }
    Issue.record("staging and activating make more than 60 calls")
  }
}
