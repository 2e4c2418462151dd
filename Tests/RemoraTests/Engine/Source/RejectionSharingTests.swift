// SPDX-License-Identifier: Apache-2.0
//
// Rejections in a directory that several clients use: how the others follow, and files that are locked or fail.

import Glibc
import Testing

@testable import Remora

@Suite("Rejection in a directory that clients share")
struct RejectionSharingTests {
  let directory: TemporaryDirectory
  let server: SignedServer

  init() throws {
    directory = try TemporaryDirectory()
    server = try SignedServer.onOwnHost()
    server.put("good", at: 1000)
    try Scene(in: directory, server: server).fetchAndClose()
    server.put("bad", at: 2000)
  }

  /// A client that looks for changes of others only in `doDueWork`: the engine's own look, once a second, would come
  /// between two lines of a test on a busy machine.
  func scene(_ calls: SystemCalls = .real) throws -> Scene {
    let scene = try Scene(in: directory, server: server, calls: calls)
    Runtime.shared.lock.withLock { Runtime.shared.remove(scene.client, $0) }
    return scene
  }

  /// Opens the collection in two clients; both have the bad version live.
  func two(subscriber: EventSink? = nil) throws -> (scenes: [Scene], OpenSource, OpenSource) {
    let scenes = try [scene(), scene()]
    let (one, other) = try (scenes[0].open(), scenes[1].open(subscriber: subscriber))
    one.refresh()
    try other.doDueWork()
    #expect(other.keys == ["bad", "good"])
    return (scenes, one, other)
  }

  @Test("at its next look, another client stops using a rejected version, with an event, and does not fetch it again")
  func others() throws {
    let recorder = Recorder()
    let (scenes, one, other) = try two(subscriber: recorder.sink)
    #expect(recorder.seen(2).count == 2)
    try one.reject()
    #expect(other.keys == ["bad", "good"])
    try other.doDueWork()
    #expect(other.keys == ["good"])
    #expect(recorder.seen(3).last == SeenEvent(cause: .rejected, old: 2000, new: 1000, changes: ["deleted bad"]))
    #expect(try other.source.info().rejectedVersion == 2000)
    #expect(other.refresh().error?.code == .rejected)
    withExtendedLifetime(scenes) {}
  }

  @Test("each of several clients can reject the same version, and the files change once")
  func atOnce() throws {
    let scenes = try (0..<8).map { _ in try scene() }
    let handles = try scenes.map { try $0.open() }
    handles[0].refresh()
    for handle in handles { try handle.doDueWork() }
    let bad = try handles.map { try $0.source.acquire() }
    for (handle, snapshot) in zip(handles, bad) {
      try handle.source.reject(snapshot, reason: nil)
      #expect(handle.keys == ["good"])
    }
    let generations = try Set(handles.map { try $0.source.info().generation })
    #expect(generations.count == 1)
  }

  @Test("while another client holds the files, a rejection takes effect in memory, and is stored later")
  func locked() throws {
    let (scenes, one, other) = try two()
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let held = try #require(try storage.tryLock(one.source.name))
    try one.reject()
    #expect(one.keys == ["good"])
    try one.doDueWork()
    #expect(one.keys == ["good"])
    #expect(try storage.readImage(one.source.name, .rejected) == nil)
    held.unlock()
    try one.doDueWork()
    #expect(try storage.readImage(one.source.name, .rejected) != nil)
    try other.doDueWork()
    #expect(other.keys == ["good"])
    withExtendedLifetime(scenes) {}
  }

  @Test(
    "a rejection waits for another client that holds the files, even after a problem with other files",
    arguments: [false, true])
  func waits(hasProblem: Bool) throws {
    let (scenes, one, _) = try two()
    if hasProblem { one.source.core.noteStorage(RemoraError(.corrupt, "the overrides are damaged")) }
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let held = try #require(try storage.tryLock(one.source.name))
    let source = one.source
    let thread = try NamedThread.startAsHost(name: "rejecting") {
      #expect(throws: Never.self) { try source.reject(source.acquire(), reason: nil, withinMs: 60_000) }
    }
    #expect(waitUntil { source.isRejectionPending })
    held.unlock()
    #expect(thread.join(untilMonotonicMs: .max))
    #expect(try storage.readImage(source.name, .rejected) != nil)
    withExtendedLifetime(scenes) {}
  }

  @Test("two rejections while another client holds the files are both stored later")
  func twoWhileLocked() throws {
    let (scenes, one, _) = try two()
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let held = try #require(try storage.tryLock(one.source.name))
    try one.reject()
    try one.reject()
    #expect(one.keys.isEmpty)
    held.unlock()
    try one.doDueWork()
    for scene in scenes { scene.client.close() }
    let next = try scene()
    let reopened = try next.open()
    #expect(reopened.keys.isEmpty)
    #expect(try reopened.source.info().rejectedVersion == 2000)
    next.client.close()
  }

  @Test("a version that another client stored over a rejected one is adopted, and the rejected one is not kept")
  func replacedWhileLocked() throws {
    let (scenes, one, other) = try two()
    server.put("fix", at: 3000)
    scenes[1].transport.answer { _ in nil }
    let ends = Completions([])
    _ = try other.source.refreshAsync(into: ends)
    #expect(scenes[1].transport.waitForRequests(1))
    try one.reject()
    let server = server
    scenes[1].transport.answer { .success(server.answer($0.url)) }
    scenes[1].transport.release(.success(server.answer(scenes[1].transport.requests[0].url)))
    #expect(ends.outcomes() == [.updated])
    try one.doDueWork()
    #expect(one.keys == ["bad", "fix", "good"])
    try other.reject()
    #expect(other.keys == ["good"])
  }

  @Test("if another client has stored a newer version, the rejection of the older one fails, and changes nothing")
  func newerIsLive() throws {
    let (scenes, one, other) = try two()
    let judged = try one.source.acquire()
    server.put("fix", at: 3000)
    other.refresh()
    #expect(throws: RemoraError.self) { try one.source.reject(judged, reason: nil) }
    #expect(one.keys == ["bad", "fix", "good"])
    #expect(other.keys == ["bad", "fix", "good"])
    withExtendedLifetime(scenes) {}
  }

  @Test("a version that one client activates and another rejects is rejected everywhere")
  func activatedAndRejected() throws {
    let (first, second) = try (scene(), scene())
    let activator = try first.open { $0.activation = .manual }
    let other = try second.open { $0.activation = .manual }
    activator.refresh()
    try other.doDueWork()
    #expect(try activator.source.activate() == .updated)
    try other.source.reject(#require(other.source.acquireStaged()), reason: nil)
    try activator.doDueWork()
    #expect(activator.keys == ["good"])
    #expect(other.keys == ["good"])
    first.client.close()
    second.client.close()
    #expect(try scene().keysAndClose() == ["good"])
  }

  @Test("a staged version that another client has rejected after a newer one does not become live in the files")
  func activatedAfterTwoRejections() throws {
    let scenes = try [scene(), scene()]
    let (one, other) = try (
      scenes[0].open { $0.activation = .manual }, scenes[1].open { $0.activation = .manual }
    )
    one.refresh()
    #expect(try one.source.activate() == .updated)
    try other.doDueWork()
    server.put("worse", at: 3000)
    one.refresh()
    try one.source.reject(#require(one.source.acquireStaged()), reason: nil)
    try other.doDueWork()
    server.put("fix", at: 4000)
    #expect(one.refresh().outcome == .staged)
    try one.reject()
    #expect(try other.source.activate() == .updated)
    let next = try scene()
    #expect(try next.open { $0.activation = .manual }.keys == ["good"])
    try other.doDueWork()
    #expect(other.keys == ["good"])
    withExtendedLifetime((scenes, next)) {}
  }

  @Test("a client whose staged version is in memory only follows the rejection of its live version")
  func stagedInMemoryOnly() throws {
    let (isFull, real) = (Box(false), SystemCalls.real)
    var calls = real
    calls.files.write = { isFull.read { $0 } ? Int(-ENOSPC) : real.files.write($0, $1, $2) }
    let scenes = try [scene(calls), scene()]
    let (one, other) = try (scenes[0].open { $0.activation = .manual }, scenes[1].open())
    one.refresh()
    #expect(try one.source.activate() == .updated)
    try other.doDueWork()
    server.put("worse", at: 3000)
    other.refresh()
    server.put("fix", at: 4000)
    isFull.update { $0 = true }
    #expect(one.refresh().outcome == .staged)
    #expect(try one.source.info().storageError?.code == .storage)
    try other.reject()
    if other.keys.contains("bad") { try other.reject() }
    try one.doDueWork()
    #expect(!one.keys.contains("bad"))
    withExtendedLifetime(scenes) {}
  }

  @Test("a seed with rejected content is not used, and removed")
  func seed() throws {
    let (scenes, one, _) = try two()
    let bad = try one.source.acquire().base
    try one.reject()
    for scene in scenes { scene.client.close() }
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let accepted = try #require(AcceptedImage(bad, acceptedBefore: try server.dialect()))
    try Seeds().save(accepted, in: storage)
    #expect(try scene().keysAndClose() == ["good"])
    #expect(try storage.readSeed(StorageName(hashing: server.dialect().identity)) == nil)
  }

  @Test("data of an earlier root pin that is rejected under the present one is not read again")
  func previousRoot() throws {
    let rotated = try PreviousRootTests.server(at: server.base)
    rotated.put("good", at: 1000)
    let pin = try server.chain.pin.description
    func open() throws -> (Scene, OpenSource) {
      let scene = try Scene(in: directory, server: rotated)
      return (scene, try scene.open { $0.previousRoots = [pin] })
    }
    let (first, handle) = try open()
    #expect(handle.keys == ["good"])
    try handle.reject()
    #expect(handle.keys.isEmpty)
    first.client.close()
    let (next, second) = try open()
    #expect(second.keys.isEmpty)
    #expect(second.refresh().error?.code == .rejected)
    next.client.close()
  }

  @Test("a client that missed a reset and a rejection of its version reads the version that followed them")
  func missedReset() throws {
    let (scenes, one, other) = try two()
    try other.source.reset()
    other.refresh()
    try other.reject()
    server.put("fix", at: 3000)
    let third = try scene()
    let stager = try third.open { $0.activation = .manual }
    #expect(stager.refresh().outcome == .staged)
    try one.doDueWork()
    #expect(one.keys == ["bad", "fix", "good"])
    withExtendedLifetime((scenes, third)) {}
  }

  @Test("an opening makes a rejection known to other clients if the rejecting client died before it could")
  func diedBeforeTelling() throws {
    let (scenes, one, other) = try two()
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let held = try #require(try storage.tryLock(one.source.name))
    try held.reject(.live)
    held.unlock()
    try other.doDueWork()
    #expect(other.keys == ["bad", "good"])
    let third = try scene()
    let opened = try third.open()
    #expect(opened.keys == ["good"])
    try opened.doDueWork()
    try other.doDueWork()
    #expect(other.keys == ["good"])
    withExtendedLifetime(scenes) {}
  }

  @Test("a rejection that cannot be stored takes effect in memory, and is stored once the files can be written")
  func unwritable() throws {
    let (isFull, real) = (Box(false), SystemCalls.real)
    var calls = real
    calls.directories.rename = { isFull.read { $0 } ? -ENOSPC : real.directories.rename($0, $1, $2) }
    calls.files.write = { isFull.read { $0 } ? Int(-ENOSPC) : real.files.write($0, $1, $2) }
    let scene = try scene(calls)
    let handle = try scene.open()
    handle.refresh()
    isFull.update { $0 = true }
    try handle.reject()
    #expect(handle.keys == ["good"])
    #expect(try handle.source.info().storageError?.code == .storage)
    isFull.update { $0 = false }
    try handle.doDueWork()
    scene.client.close()
    #expect(try self.scene().keysAndClose() == ["good"])
  }

  /// A client whose storing of version 2000 fails at the last step, after its file has its name; and another client,
  /// which reads that file.
  func failedAtTheEnd() throws -> (scenes: [Scene], OpenSource, OpenSource) {
    let (isBroken, isRenamed, real) = (Box(true), Box(false), SystemCalls.real)
    var calls = real
    calls.directories.rename = { number, from, to in
      isRenamed.update { $0 = true }
      return real.directories.rename(number, from, to)
    }
    calls.files.sync = { isBroken.read { $0 } && isRenamed.read { $0 } ? -EIO : real.files.sync($0) }
    let scenes = try [scene(calls), scene()]
    let one = try scenes[0].open()
    one.refresh()
    #expect(try one.source.info().storageError?.code == .storage)
    isBroken.update { $0 = false }
    let other = try scenes[1].open()
    #expect(other.keys == ["bad", "good"])
    return (scenes, one, other)
  }

  @Test("clients follow the rejection of a version that was stored although the last step of storing it failed")
  func rejectedAfterFailure() throws {
    let (scenes, one, other) = try failedAtTheEnd()
    try one.reject()
    try other.doDueWork()
    #expect(other.keys == ["good"])
    withExtendedLifetime(scenes) {}
  }

  @Test("clients adopt the version after one that was stored although the last step of storing it failed")
  func followedAfterFailure() throws {
    let (scenes, one, other) = try failedAtTheEnd()
    server.put("next", at: 3000)
    one.refresh()
    try other.doDueWork()
    #expect(other.keys == ["bad", "good", "next"])
    withExtendedLifetime(scenes) {}
  }

  @Test("a version that is in memory only is stored later although the live file was damaged meanwhile")
  func damagedMeanwhile() throws {
    let (scenes, one, _) = try failedAtTheEnd()
    let live = StoredFile.image(one.source.name, .live).fileName
    unlink(directory.path("storage/\(live)"))  // The other client has the file mapped.
    try directory.write("storage/\(live)", Array("damaged".utf8))
    server.put("next", at: 3000)
    one.refresh()
    #expect(try one.source.info().storageError == nil)
    for scene in scenes { scene.client.close() }
    #expect(try scene().keysAndClose() == ["bad", "good", "next"])
  }

  @Test("a version is refused although the file of its rejection could not be read at the opening")
  func unreadRejection() throws {
    let (scenes, one, _) = try two()
    try one.reject()
    for scene in scenes { scene.client.close() }
    let (isBroken, real) = (Box(true), SystemCalls.real)
    var calls = real
    calls.directories.openFile = { number, name, flags in
      isBroken.read { $0 } && name.hasSuffix(".rejected") ? -EIO : real.directories.openFile(number, name, flags)
    }
    let next = try scene(calls)
    let handle = try next.open()
    #expect(handle.keys == ["good"])
    isBroken.update { $0 = false }
    #expect(handle.refresh().error?.code == .rejected)
    next.client.close()
  }

  @Test("a host can reject a version that another client rejected, if that rejection could not be read")
  func unreadRejectionOfOther() throws {
    let (isFull, reads, real) = (Box(false), Box(Int.max), SystemCalls.real)
    var calls = real
    calls.files.write = { isFull.read { $0 } ? Int(-ENOSPC) : real.files.write($0, $1, $2) }
    calls.directories.rename = { isFull.read { $0 } ? -ENOSPC : real.directories.rename($0, $1, $2) }
    calls.directories.openFile = { number, name, flags in
      let left =
        name.hasSuffix(".rejected")
        ? reads.update {
          $0 -= 1; return $0
        } : Int.max
      return left < 0 ? -EIO : real.directories.openFile(number, name, flags)
    }
    let scenes = try [scene(calls), scene()]
    let (one, other) = try (scenes[0].open(), scenes[1].open())
    one.refresh()
    isFull.update { $0 = true }
    try one.reject()
    server.put("worse", at: 3000)
    one.refresh()
    other.refresh()
    try other.reject()
    isFull.update { $0 = false }
    reads.update { $0 = 1 }
    try one.doDueWork()
    #expect(one.keys.contains("worse"))
    try one.reject()
    #expect(!one.keys.contains("worse"))
    withExtendedLifetime(scenes) {}
  }

  @Test("if the files cannot be read at a rejection, the version before is read once they can be")
  func unreadable() throws {
    let (isBroken, real) = (Box(false), SystemCalls.real)
    var calls = real
    calls.directories.openFile = { isBroken.read { $0 } ? -EIO : real.directories.openFile($0, $1, $2) }
    let scene = try scene(calls)
    let handle = try scene.open()
    handle.refresh()
    isBroken.update { $0 = true }
    try handle.reject()
    #expect(handle.keys.isEmpty)
    isBroken.update { $0 = false }
    #expect(handle.refresh().error?.code == .rejected)
    #expect(handle.keys == ["good"])
    withExtendedLifetime(scene) {}
  }

  @Test("after a crash at any system call of a rejection, the next opening reads the state before or after it")
  func crashes() throws {
    var (call, isComplete, outcomes) = (1, false, Set<[String]>())
    while !isComplete, call < 60 {
      let directory = try TemporaryDirectory()
      let server = try SignedServer.onOwnHost()
      server.put("good", at: 1000)
      try Scene(in: directory, server: server).fetchAndClose()
      server.put("bad", at: 2000)
      let faulty = FaultySystemCalls()
      let scene = try Scene(in: directory, server: server, calls: faulty.calls)
      let handle = try scene.open()
      handle.refresh()
      faulty.arm([call: .crash(.absent)], onThisThread: false)
      try handle.reject()
      isComplete = faulty.callCount < call
      scene.client.close()
      faulty.disarm()
      let next = try Scene(in: directory, server: server)
      let reopened = try next.open()
      outcomes.insert(reopened.keys)
      // A good version follows in each case.
      server.put("fix", at: 3000)
      #expect(reopened.refresh().outcome == .updated)
      #expect(reopened.keys == ["bad", "fix", "good"])
      next.client.close()
      call += 1
    }
    #expect(isComplete)
    #expect(outcomes == [["bad", "good"], ["good"]])
  }
}
