// SPDX-License-Identifier: Apache-2.0
//
// Persisted overrides over a storage that fails, is damaged or is cut off.

import Glibc
import Testing

@testable import Remora

extension PersistedOverrideTests {
  @Test("an override that cannot be stored is used in memory, and the next change stores it too")
  func failure() throws {
    let faults = Box<Int32>(0)
    var calls = SystemCalls.real
    let create = calls.directories.openFile
    calls.directories.openFile = { directory, name, flags in
      let answer = faults.read { $0 }
      return answer != 0 && name.hasSuffix(".tmp") ? -answer : create(directory, name, flags)
    }
    let lines = Box<[String]>([])
    let scene = try scene(calls, log: Log(level: .warning) { line in lines.update { $0.append(line.text) } })
    let handle = try open(scene)
    let recorder = Recorder()
    _ = try handle.subscribe(key: nil, replay: false, recorder.sink)
    faults.update { $0 = ENOSPC }
    try handle.set("a", "", "1")
    #expect(try handle.json("a") == "1")
    #expect(try handle.source.info().storageError?.code == .storage)
    #expect(lines.wait { $0.contains { $0.contains("are used in this process only") } })
    #expect(file == nil)
    try handle.set("b", "", "1")
    #expect(recorder.seen(2).last?.storageError == .storage)
    faults.update { $0 = 0 }
    // The same once more: nothing is changed, but it is stored now.
    try handle.set("b", "", "1")
    #expect(try handle.source.info().storageError == nil)
    #expect(recorder.all.count == 2)
    #expect(try reopened { try $0.shown } == ["a", "b"])
  }

  @Test("an override that could not be stored is stored within seconds, without another call")
  func triedAgain() throws {
    let faults = Box<Int32>(ENOSPC)
    var calls = SystemCalls.real
    let create = calls.directories.openFile
    calls.directories.openFile = { directory, name, flags in
      let answer = faults.read { $0 }
      return answer != 0 && name.hasSuffix(".tmp") ? -answer : create(directory, name, flags)
    }
    let scene = try scene(calls)
    let handle = try open(scene)
    try handle.set("a", "", "1")
    #expect(try handle.source.info().storageError?.code == .storage)
    #expect(file == nil)
    faults.update { $0 = 0 }
    let deadline = monotonicMs() + longestWaitMs
    while try handle.source.info().storageError != nil, monotonicMs() < deadline { sched_yield() }
    #expect(try handle.source.info().storageError == nil)
    #expect(try reopened { try $0.shown } == ["a"])
  }

  @Test("failed writes of overrides are tried again after 1, 2, 4, 8, 16 and 32 seconds, and every 32 seconds")
  func spacing() throws {
    var state = OverridesFileState(StoredOverrides(of: try server.dialect(), in: nil), removed: [], isOutdated: true)
    #expect(!state.isWriteDue(monotonicMs: .max))
    let error = RemoraError(.storage, "full")
    var now: Int64 = 0
    for (index, wait) in [1000, 2000, 4000, 8000, 16000, 32000, 32000].enumerated() {
      #expect(state.noteFailedWrite(error, monotonicMs: now) == (index == 0))
      #expect(!state.isWriteDue(monotonicMs: now + Int64(wait) - 1))
      #expect(state.isWriteDue(monotonicMs: now + Int64(wait)))
      now += Int64(wait)
    }
    state.noteStored(isCurrent: true)
    #expect(!state.isWriteDue(monotonicMs: .max))
  }

  @Test("a failure to store fetched data is still reported after overrides were stored")
  func otherTrouble() throws {
    let isFull = Box(true)
    var calls = SystemCalls.real
    let open = calls.directories.openFile
    let fetched = StorageName(hashing: try server.dialect().identity)
    calls.directories.openFile = { directory, name, flags in
      let isImage = name.hasPrefix(fetched.hex) && name.hasSuffix(".tmp")
      return isFull.read { $0 } && isImage ? -ENOSPC : open(directory, name, flags)
    }
    let scene = try scene(calls)
    let handle = try self.open(scene)
    handle.refresh()
    #expect(try handle.source.info().storageError?.code == .storage)
    try handle.set("a", "/v", "2")
    #expect(try handle.source.info().storageError?.code == .storage)
    #expect(file != nil)
    isFull.update { $0 = false }
    handle.refresh()
    #expect(try handle.source.info().storageError == nil)
  }

  @Test("a failure to read stored overrides is still reported after fetched data was stored")
  func unreadBesideAnImage() throws {
    let first = try scene()
    try open(first).set("a", "/v", "2")
    first.client.close()
    let isBroken = Box(true)
    var calls = SystemCalls.real
    let open = calls.directories.openFile
    calls.directories.openFile = { directory, name, flags in
      isBroken.read { $0 } && name.hasSuffix(".overrides") ? -EIO : open(directory, name, flags)
    }
    let scene = try scene(calls)
    let handle = try self.open(scene)
    #expect(handle.refresh().outcome == .updated)
    #expect(try handle.source.info().storageError?.code == .storage)
    isBroken.update { $0 = false }
    try handle.set("b", "", "1")
    #expect(try handle.source.info().storageError == nil)
  }

  @Test("a list of stored overrides that is damaged or writable by other users is ignored, reported and replaced")
  func unusable() throws {
    let first = try scene()
    let name = try open(first).source.name
    try open(first).set("a", "", "1")
    first.client.close()
    let path = try #require(file)
    let good = try #require(directory.read(path))
    var flipped = good
    flipped[good.count / 2] ^= 1
    let other = try OverrideList().image(of: "another source")
    let bad: [([UInt8], mode_t, RemoraError.Code)] = [
      (flipped, 0o600, .corrupt), (Array(good.dropLast()), 0o600, .corrupt), ([], 0o600, .corrupt),
      (Array(other.buffer.bytes), 0o600, .corrupt), (good, 0o666, .permission),
    ]
    for (bytes, mode, code) in bad {
      try directory.write(path, bytes, mode: mode)
      #expect(chmod(directory.path(path), mode) == 0)
      let scene = try scene()
      let handle = try open(scene)
      #expect(try handle.shown == [])
      #expect(try handle.source.info().storageError?.code == code)
      #expect(handle.source.name == name)
      try handle.set("b", "", "2")
      #expect(try handle.source.info().storageError == nil)
      scene.client.close()
      #expect(try reopened { try $0.shown } == ["b"])
    }
  }

  @Test("an interruption at any system call leaves either the previous list of overrides or the new one")
  func cuts() throws {
    var (before, after) = (OverrideList(), OverrideList())
    try before.set(makeOverride(["a", "", "1"]))
    try after.set(makeOverride(["b", "", "2"]))
    let dialect = try server.dialect()
    let name = StorageName(hashing: dialect.identity)
    func commit(_ list: OverrideList, _ storage: StorageDirectory) throws(RemoraError) {
      guard let lock = try storage.tryLock(name.ofOverrides) else { throw RemoraError(.internal, "busy") }
      defer { lock.unlock() }
      try lock.commitOverrides(list.image(of: dialect.identity).buffer, of: name)
    }
    func stored() throws -> OverrideList {
      StoredOverrides(of: dialect, in: try StorageDirectory.open(path: directory.path("cut"))).list
    }
    for cut in 0..<20 {
      try commit(before, StorageDirectory.open(path: directory.path("cut")))
      let left = Box(cut)
      var calls = SystemCalls.real
      let (open, write, sync, rename) = (
        calls.directories.openFile, calls.files.write, calls.files.sync, calls.directories.rename
      )
      @Sendable func mayPass() -> Bool {
        left.update {
          $0 -= 1; return $0 >= 0
        }
      }
      calls.directories.openFile = { mayPass() ? open($0, $1, $2) : -EIO }
      calls.files.write = { mayPass() ? write($0, $1, $2) : Int(-EIO) }
      calls.files.sync = { mayPass() ? sync($0) : -EIO }
      calls.directories.rename = { mayPass() ? rename($0, $1, $2) : -EIO }
      let result = Result { try commit(after, StorageDirectory.open(path: directory.path("cut"), calls: calls)) }
      let found = try stored()
      #expect(found == before || found == after)
      if case .success = result {
        #expect(found == after)
        #expect(cut >= 5)
        return
      }
    }
    Issue.record("no commit went through")
  }
}
