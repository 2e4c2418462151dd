// SPDX-License-Identifier: Apache-2.0
//
// A source over its files: restarts, full disks, damage, and the entity tag.

import Glibc
import Testing

@testable import Remora

@Suite("Fetched data that is stored, and used after a restart")
struct SourceStorageTests {
  let directory: TemporaryDirectory
  let server: SignedServer

  init() throws {
    directory = try TemporaryDirectory()
    server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
  }

  private func scene(_ calls: SystemCalls = .real) throws -> Scene {
    try Scene(in: directory, server: server, calls: calls)
  }

  @Test("the next client reads the stored data without a request, and does not use an older version")
  func restart() throws {
    try scene().fetchAndClose()
    let second = try scene()
    let recorder = Recorder()
    let handle = try second.open(subscriber: recorder.sink)
    #expect(try handle.source.info().origin == .cached)
    #expect(handle.keys == ["a"])
    #expect(recorder.seen(1) == [SeenEvent(cause: .opened, old: 1000, new: 1000)])
    let older = try SignedServer(base: server.base)
    older.put("a", at: 500)
    second.transport.answer { .success(older.answer($0.url)) }
    #expect(handle.refresh().outcome == .notNewer)
    #expect(handle.keys == ["a"])
  }

  @Test("a ledger that cannot be read is reported once, however often it is checked")
  func unreadableLedger() throws {
    let lines = Box<[String]>([])
    let log = Log(level: .warning) { line in lines.update { $0.append(line.text) } }
    let scene = try Scene(in: directory, server: server, log: log)
    let handle = try scene.open()
    handle.refresh()
    let ledger = directory.path("storage/\(StoredFile.ledger(handle.source.name).fileName)")
    #expect(chmod(ledger, 0o666) == 0)
    for _ in 0..<3 { try handle.doDueWork() }
    scene.client.close()
    #expect(lines.read { $0.filter { $0.contains("mode 0666") }.count } == 1)
  }

  @Test("when the server confirms cached data, its origin changes from CACHED to FETCHED in the refresh event")
  func confirmedCache() throws {
    try scene().fetchAndClose()
    let second = try scene()
    let origins = Box<[Origin]>([])
    let handle = try second.open(subscriber: { event, changes in
      #expect(changes.isEmpty)
      origins.update { $0.append(event.new.origin) }
    })
    #expect(handle.refresh().outcome == .unchanged)
    #expect(try handle.source.info().origin == .fetched)
    #expect(try handle.source.acquire().origin == .fetched)
    #expect(origins.wait { $0.count >= 2 })
    #expect(origins.read { $0 } == [.cached, .fetched])
    let third = try self.scene()
    #expect(try third.open().source.info().origin == .cached)
  }

  @Test("the origin of cached data stays CACHED after a refresh that fails or returns an older version")
  func unconfirmedCache() throws {
    try scene().fetchAndClose()
    let second = try scene()
    let handle = try second.open()
    second.transport.answer { _ in .success(.answer(500)) }
    #expect(handle.refresh().outcome == .failed)
    #expect(try handle.source.info().origin == .cached)
    let older = try SignedServer(base: server.base)
    older.put("a", at: 500)
    second.transport.answer { .success(older.answer($0.url)) }
    #expect(handle.refresh().outcome == .notNewer)
    #expect(try handle.source.info().origin == .cached)
  }

  @Test("a version in memory only does not replace a newer stored one, also if the ledger of that could not be written")
  func newerWithoutLedger() throws {
    let (isFull, isRenamed, real) = (Box(false), Box(false), SystemCalls.real)
    let behind = try SignedServer(base: server.base)
    behind.put("a", at: 1000)
    var calls = real
    calls.files.write = { isFull.read { $0 } ? Int(-ENOSPC) : real.files.write($0, $1, $2) }
    let first = try Scene(in: directory, server: behind, calls: calls)
    let handle = try first.open()
    handle.refresh()
    behind.put("b", at: 2000)
    isFull.update { $0 = true }
    handle.refresh()
    #expect(try handle.source.info().storageError?.code == .storage)
    isFull.update { $0 = false }
    server.put("c", at: 3000)
    var others = real
    others.directories.rename = { number, from, to in
      isRenamed.update { $0 = true }
      return real.directories.rename(number, from, to)
    }
    others.files.write = { isRenamed.read { $0 } ? Int(-ENOSPC) : real.files.write($0, $1, $2) }
    let second = try scene(others)
    #expect(try second.open().refresh().outcome == .updated)
    second.client.close()
    #expect(handle.refresh().outcome == .unchanged)
    first.client.close()
    #expect(try scene().keysAndClose() == ["a", "c"])
  }

  @Test("the newer of packaged and cached data is used when the source is opened")
  func packagedOrCached() throws {
    try scene().fetchAndClose()
    for (timestamp, origin) in [(999, Origin.cached), (1000, .cached), (1001, .packaged)] {
      let scene = try scene()
      let handle = try scene.open { $0.packaged = .bytes(Array(#"{"data":[],"timestamp":\#(timestamp)}"#.utf8)) }
      #expect(try handle.source.info().origin == origin)
    }
  }

  @Test("if the disk is full, fetched values are used with a storage error, and stored when there is space again")
  func fullDisk() throws {
    let faults = FaultySystemCalls()
    let scene = try scene(faults.calls)
    let recorder = Recorder()
    let handle = try scene.open(subscriber: recorder.sink)
    #expect(handle.refresh().outcome == .updated)
    // Unread updates would merge.
    #expect(recorder.seen(2).count == 2)
    server.put("b", at: 2000)
    faults.arm(Dictionary(uniqueKeysWithValues: (1...100).map { ($0, Accident.fails(errno: 28)) }))
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.keys == ["a", "b"])
    #expect(try handle.source.info().storageError?.code == .storage)
    #expect(recorder.seen(3).last?.storageError == .storage)
    try #expect(self.scene().keysAndClose() == ["a"])
    faults.disarm()
    // Nothing new comes, and yet what is in memory only is stored at the first chance.
    #expect(handle.refresh().outcome == .unchanged)
    #expect(try handle.source.info().storageError == nil)
    try #expect(self.scene().keysAndClose() == ["a", "b"])
  }

  @Test("if one system call fails once, fetched values are used, and a later refresh stores them")
  func everyCall() throws {
    for number in 1...40 {
      let directory = try TemporaryDirectory()
      let server = try SignedServer.onOwnHost()
      server.put("a", at: 1000)
      let faults = FaultySystemCalls()
      let scene = try Scene(in: directory, server: server, calls: faults.calls)
      let handle = try scene.open()
      #expect(handle.refresh().outcome == .updated)
      server.put("b", at: 2000)
      faults.arm([number: .fails(errno: 5)])
      #expect(handle.refresh().outcome == .updated, "call \(number)")
      #expect(handle.keys == ["a", "b"], "call \(number)")
      faults.disarm()
      server.put("c", at: 3000)
      #expect(handle.refresh().outcome == .updated, "call \(number)")
      #expect(try Scene(in: directory, server: server).keysAndClose() == ["a", "b", "c"], "call \(number)")
      if faults.callCount < number { return }
    }
    Issue.record("a refresh makes more than 40 calls")
  }

  /// A live image of version 2000 and a previous one of 1000.
  private func storeTwo() throws {
    let scene = try scene()
    let handle = try scene.open()
    #expect(handle.refresh().outcome == .updated)
    server.put("b", at: 2000)
    #expect(handle.refresh().outcome == .updated)
    scene.client.close()
  }

  private func damage(_ name: String) throws {
    var bytes = try #require(directory.read("storage/\(name)"))
    bytes[bytes.count - 1] ^= 1
    try directory.write("storage/\(name)", bytes)
  }

  private var name: StorageName { get throws { StorageName(hashing: try server.dialect().identity) } }

  @Test(
    "a cached file with invalid content is reported as corrupt, and the next refresh replaces it")
  func uncomposed() throws {
    server.put("a", #""filter_expression":"false""#, at: 1500)
    try storeTwo()
    let file = "storage/\(try fileName(.live, of: name))"
    let stored = try #require(directory.read(file)).withBytes { try Image(ImageBuffer(copying: $0)) }
    // The NUL behind the first key.
    let forged = try stored.forged { entry in
      let key = Int(entry.load(fromByteOffset: ValueLayout.entryKeyDistance, as: UInt16.self))
      entry[key + 1] = 1
    }
    try directory.write(file, forged)
    let scene = try scene()
    let handle = try scene.open()
    #expect(try handle.shown.isEmpty)
    #expect(try handle.source.info().storageError?.code == .corrupt)
    server.put("c", at: 3000)
    #expect(handle.refresh().outcome == .updated)
    #expect(try handle.shown == ["b", "c"])
    #expect(try handle.source.info().storageError == nil)
  }

  @Test("if the file of the current data is damaged, the previous version is used and kept by the next refresh")
  func damagedLive() throws {
    try storeTwo()
    try damage(fileName(.live, of: name))
    let scene = try scene()
    let handle = try scene.open()
    #expect(handle.keys == ["a"])
    #expect(try handle.source.info().storageError?.code == .corrupt)
    server.put("c", at: 3000)
    #expect(handle.refresh().outcome == .updated)
    #expect(scene.transport.urls.first == "changeset?_expected=0&_since=1000")
    #expect(try handle.source.info().storageError == nil)
    // The previous image is still the good one: damage the live one again and look.
    try damage(fileName(.live, of: name))
    try #expect(self.scene().keysAndClose() == ["a"])
  }

  @Test("if another client replaced a damaged file, storing newer data keeps that replacement as the previous file")
  func damagedThenAdopted() throws {
    try storeTwo()
    try damage(fileName(.live, of: name))
    let (first, second) = try (scene(), scene())
    let (found, mended) = try (first.open(), second.open())
    #expect(mended.refresh().outcome == .updated)
    // Adopts what the other stored, and finds nothing newer.
    #expect(found.refresh().outcome == .unchanged)
    #expect(try found.source.info().storageError == nil)
    directory.ageLive(in: "storage")
    server.put("c", at: 3000)
    #expect(found.refresh().outcome == .updated)
    try damage(fileName(.live, of: name))
    try #expect(self.scene().keysAndClose() == ["a", "b"])
  }

  @Test("versions older than a damaged file are still refused")
  func damagedFloor() throws {
    try storeTwo()
    try damage(fileName(.live, of: name))
    let scene = try scene()
    let handle = try scene.open()
    let older = try SignedServer(base: server.base)
    older.put("a", at: 1500)
    scene.transport.answer { .success(older.answer($0.url)) }
    #expect(handle.refresh().outcome == .notNewer)
  }

  @Test("a source whose current and previous files are both damaged has no data until a refresh")
  func bothDamaged() throws {
    try storeTwo()
    for slot in [ImageSlot.live, .previous] { try damage(fileName(slot, of: name)) }
    let scene = try scene()
    let handle = try scene.open()
    #expect(try handle.source.info().origin == Origin.none)
    #expect(handle.refresh().outcome == .updated)
    try #expect(self.scene().keysAndClose() == ["a", "b"])
  }

  @Test("an ETag is sent only with the URL that it was received for, and only while the data has not changed")
  func entityTag() throws {
    let scene = try scene()
    let handle = try scene.open()
    scene.transport.answer { [server] request in
      var answer = server.answer(request.url)
      if !request.url.hasSuffix(".pem") { answer.headers.etag = "\"\(lastPart(of: request.url).count)\"" }
      return .success(request.ifNoneMatch == nil ? answer : .answer(304))
    }
    handle.refresh()
    handle.refresh()
    #expect(handle.refresh().outcome == .unchanged)
    server.put("b", at: 2000)
    scene.transport.answer { [server] in .success(server.answer($0.url)) }
    handle.refresh()
    handle.refresh()
    let documents = scene.transport.requests.filter { !$0.url.hasSuffix(".pem") }
    // The first URL has no _since; the tag of the second URL goes with it until the image changes.
    #expect(documents.map { $0.ifNoneMatch != nil } == [false, false, true, true, false])
  }

  @Test("a certificate chain is requested without the program's HTTP headers, and with a small size limit")
  func chainRequest() throws {
    var options = ClientOptions(storage: nil)
    try options.setCollectionDefaults(server: server.base)
    try options.transportOptions.setHeaders(["Authorization: secret"])
    let elsewhere = "https://chains.example/chain.pem"
    let transport = ScriptedTransport { [server] request in
      if request.url.hasSuffix(".pem") { return .success(.answer(200, server.chain.pem)) }
      guard var full = try? server.changeset(), let signature = try? server.sign(full.changes, at: full.timestamp)
      else {
        return nil
      }
      full.signatures = [signatureObject(signature, x5u: elsewhere)]
      return .success(full.response)
    }
    options.transport = transport
    options.clock = ManualClock()
    let client = try Client(options)
    defer { client.close() }
    var collection = CollectionOptions()
    collection.collection = "c"
    collection.rootSHA256 = try server.chain.pin.description
    collection.signer = TestChain.signer
    collection.trustedHosts = ["chains.example"]
    #expect(try client.openCollection(collection).refresh().outcome == .updated)
    let requests = transport.requests
    #expect(requests.map(\.options.headers) == [["Authorization: secret"], []])
    #expect(requests.last?.options.maxBodyBytes == 64 << 10)
  }
}
