// SPDX-License-Identifier: Apache-2.0
//
// A storage directory that is removed, renamed away or replaced while clients use it.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("A storage directory that is deleted or replaced while a client uses it")
struct ReplacedDirectoryTests {
  let directory: TemporaryDirectory
  let scene: Scene
  let handle: OpenSource

  init() throws {
    directory = try TemporaryDirectory()
    scene = try Scene(in: directory)
    scene.server.put("a", at: 1000)
    handle = try scene.open()
    #expect(handle.refresh().outcome == .updated)
  }

  /// How the directory is replaced.
  enum Replacement: CaseIterable { case removed, madeAnew, renamed, linked }

  /// Replaces the directory in a job, so that the engine thread does not create it again in between.
  private func replace(_ replacement: Replacement) throws {
    try Runtime.shared.worker.perform { _ throws in try replaceNow(replacement) }
  }

  private func replaceNow(_ replacement: Replacement) throws {
    let path = directory.path("storage")
    switch replacement {
    case .removed: test_remove_tree(path)
    case .madeAnew:
      test_remove_tree(path)
      try directory.makeDirectory("storage", mode: 0o700)
    case .renamed:
      #expect(rename(path, directory.path("away")) == 0)
      try directory.makeDirectory("storage", mode: 0o700)
    case .linked:
      #expect(rename(path, directory.path("away")) == 0)
      try directory.makeDirectory("other", mode: 0o700)
      #expect(symlink("other", path) == 0)
    }
  }

  /// The keys that another client finds in the directory, before it sends anything.
  private func stored() throws -> [String] {
    try Scene(in: directory, server: scene.server).keysAndClose()
  }

  @Test(
    "after the storage directory was replaced, the next refresh stores its data in the new directory",
    arguments: Replacement.allCases)
  func refresh(after replacement: Replacement) throws {
    try replace(replacement)
    let old = directory.path("away")
    let before = (try? StorageDirectory.open(path: old))?.readLedger(handle.source.name)
    scene.server.put("b", at: 2000)
    #expect(handle.refresh().outcome == .updated)
    #expect(try handle.source.info().storageError == nil)
    #expect(try stored() == ["a", "b"])
    if replacement == .renamed || replacement == .linked {
      #expect((try? StorageDirectory.open(path: old))?.readLedger(handle.source.name) == before)
    }
  }

  @Test("a refresh without new data stores the current data in a replaced directory", arguments: Replacement.allCases)
  func unchanged(after replacement: Replacement) throws {
    try replace(replacement)
    #expect(handle.refresh().outcome == .unchanged)
    #expect(try handle.source.info().storageError == nil)
    #expect(try stored() == ["a"])
  }

  @Test(
    "refreshes that shared the files' lock take it in a replaced directory when they store, also if it was busy before")
  func sharedLock() throws {
    let files = handle.source.publisher.files
    let (first, second) = (PublishingRun(), PublishingRun())
    try Runtime.shared.worker.perform { exclusive throws in
      let areTaken = files.take(for: first, exclusive) && files.take(for: second, exclusive)
      #expect(areTaken)
      try replaceNow(.renamed)
      let others = try StorageDirectory.open(path: directory.path("storage")).tryLock(handle.source.name)
      let busy = try files.currentLock(of: first, exclusive)
      #expect(others != nil && busy == nil)
      others?.unlock()
      let taken = try files.currentLock(of: second, exclusive)
      let shared = try files.currentLock(of: first, exclusive)
      #expect(taken != nil && shared === taken)
      files.release(first, exclusive)
      let storage = try #require(try handle.source.requireStorage())
      let held = files.heldLock(in: storage, exclusive)
      #expect(held === taken)
      files.release(second, exclusive)
      let left = files.heldLock(in: storage, exclusive)
      #expect(left == nil)
    }
  }

  @Test("an activation during a refresh is stored in the directory that replaced the one of the refresh")
  func activationDuringRefresh() throws {
    scene.client.close()
    let next = try Scene(in: directory, server: scene.server)
    let handle = try next.open { $0.activation = .manual }
    next.server.put("b", at: 2000)
    #expect(handle.refresh().outcome == .staged)
    next.transport.answer { _ in nil }
    let before = next.transport.requests.count
    let ends = Completions([])
    _ = try handle.source.refreshAsync(into: ends)
    #expect(next.transport.waitForRequests(before + 1))
    try replaceByCopy()
    #expect(try handle.source.activate() == .updated)
    #expect(try stored() == ["a", "b"])
    next.client.close()
  }

  /// Replaces the directory by a copy of itself, as a backup does that is restored.
  private func replaceByCopy() throws {
    try Runtime.shared.worker.perform { _ throws in
      #expect(rename(directory.path("storage"), directory.path("away")) == 0)
      try directory.makeDirectory("storage", mode: 0o700)
      try directory.copyFiles(from: "away", to: "storage")
    }
  }

  @Test("if the directory is replaced during a refresh, the result is stored in the new directory")
  func duringRefresh() throws {
    scene.server.put("b", at: 2000)
    let server = scene.server
    scene.transport.answer { _ in nil }
    let before = scene.transport.requests.count
    let ends = Completions([])
    _ = try handle.source.refreshAsync(into: ends)
    #expect(scene.transport.waitForRequests(before + 1))
    let url = try #require(scene.transport.requests.last?.url)
    try replace(.madeAnew)
    scene.transport.answer { .success(server.answer($0.url)) }
    scene.transport.release(.success(server.answer(url)))
    #expect(ends.outcomes() == [.updated])
    #expect(try handle.source.info().storageError == nil)
    #expect(try stored() == ["a", "b"])
  }

  @Test("if other users can write to the new directory, fetched data stays in memory and the error is reported")
  func unusable() throws {
    try replace(.madeAnew)
    #expect(chmod(directory.path("storage"), 0o777) == 0)
    scene.server.put("b", at: 2000)
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.keys == ["a", "b"])
    #expect(try handle.source.info().storageError?.code == .permission)
    #expect((directory.read("storage/lock")) == nil)
    #expect(chmod(directory.path("storage"), 0o700) == 0)
    #expect(handle.refresh().outcome == .unchanged)
    #expect(try handle.source.info().storageError == nil)
    #expect(try stored() == ["a", "b"])
  }

  @Test("if a file replaces the storage directory, fetched data stays in memory and a storage error is reported")
  func file() throws {
    try replace(.removed)
    try directory.write("storage", [1])
    scene.server.put("b", at: 2000)
    #expect(handle.refresh().outcome == .updated)
    #expect(try handle.source.info().storageError?.code == .storage)
    #expect(handle.keys == ["a", "b"])
  }

  @Test("a client checks the new directory regularly, and picks up data that another client stores there")
  func pickedUp() throws {
    let recorder = Recorder()
    _ = try handle.subscribe(key: nil, replay: false, recorder.sink)
    try replace(.madeAnew)
    let other = try Scene(in: directory, server: scene.server)
    scene.server.put("b", at: 2000)
    #expect(try other.open().refresh().outcome == .updated)
    other.client.close()
    #expect(recorder.seen(1).first?.cause == .adopted)
    #expect(handle.keys == ["a", "b"])
  }

  @Test("the regular check for data of other processes does not create a missing storage directory")
  func look() throws {
    try replace(.removed)
    Runtime.shared.worker.perform { _ in scene.client.services.followStorage() }
    #expect(directory.names == [])
  }

  @Test("a refresh after the replacement locks the new directory, and not the old one", .forks)
  func locks() throws {
    try replace(.renamed)
    let ends = Completions([])
    let before = scene.transport.requests.count
    scene.transport.answer { _ in nil }
    _ = try handle.source.refreshAsync(into: ends)
    #expect(scene.transport.waitForRequests(before + 1))
    #expect(test_try_lock_in_child(directory.path("storage/lock"), handle.source.name.lockByte) != 0)
    #expect(test_try_lock_in_child(directory.path("away/lock"), handle.source.name.lockByte) == 0)
  }

  @Test("the next change of an override, or the next refresh, stores all overrides in the new directory")
  func overrides() throws {
    let scene = try Scene(in: directory, server: scene.server)
    let handle = try scene.open { $0.opening.persistsOverrides = true }
    try handle.set("x", "", "1")
    for key in ["y", "z"] {
      try replace(.madeAnew)
      if key == "y" { try handle.set("y", "", "1") } else { handle.refresh() }
      let other = try Scene(in: directory, server: scene.server)
      #expect(try other.open { $0.opening.persistsOverrides = true }.source.overrides().places == ["x:", "y:"])
      other.client.close()
    }
  }

  @Test("activating fetched data writes into the new directory, and so does a reset")
  func resetAndActivation() throws {
    let scene = try Scene(in: directory, server: scene.server)
    let handle = try scene.open { $0.activation = .manual }
    scene.server.put("b", at: 2000)
    #expect(handle.refresh().outcome == .staged)
    try replace(.madeAnew)
    #expect(try handle.source.activate() == .updated)
    #expect(handle.refresh().outcome == .unchanged)
    #expect(try handle.source.info().storageError == nil)
    #expect(try stored() == ["a", "b"])
    try replace(.madeAnew)
    try handle.source.reset()
    #expect(try stored() == [])
    #expect(directory.read("storage/\(StoredFile.ledger(handle.source.name).fileName)") != nil)
  }

  @Test(
    "a relative storage path still refers to the same directory after the process changes its working directory",
    .forks)
  func relative() throws {
    let path = directory.path
    let server = scene.server
    let name = handle.source.name
    let status = inForkedChild {
      guard chdir(path) == 0, let storage = try? StorageDirectory.open(path: "storage") else { return 1 }
      guard chdir("/") == 0, !storage.isReplaced else { return 2 }
      return storage.readLedger(name).generation > 0 ? 0 : 3
    }
    #expect(status == 0)
    withExtendedLifetime(server) {}
  }

  @Test("a forked child detects that the directory was replaced", .forks)
  func fork() throws {
    try replace(.madeAnew)
    let (handle, path) = (handle, directory.path("storage"))
    let status = inForkedChild {
      _ = try? handle.source.services.requireStorage()
      guard let storage = handle.source.storage, let lock = try? storage.tryLock(handle.source.name) else { return 1 }
      guard (try? lock.writeLedger(SourceLedger())) != nil else { return 2 }
      return access("\(path)/lock", F_OK) == 0 ? 0 : 3
    }
    #expect(status == 0)
    #expect(handle.refresh().outcome == .unchanged)
    #expect(try stored() == ["a"])
  }
}
