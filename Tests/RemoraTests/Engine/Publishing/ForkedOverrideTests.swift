// SPDX-License-Identifier: Apache-2.0
//
// A forked child has a copy of its parent's overrides, and must not store it over what the parent has stored since.

import Glibc
import Testing

@testable import Remora

@Suite("Stored overrides in a forked child that changes none")
struct ForkedOverrideTests {
  let overrides: PersistedOverrideTests

  init() throws { overrides = try PersistedOverrideTests() }

  /// Continues as a child whose parent has this state.
  private func fork(_ handle: OpenSource) {
    let source = handle.source
    source.lock.withLock { source.overridesStore.file[$0].resumeChild() }
  }

  /// The override of a key that another client finds in the storage.
  private func stored(_ key: String) throws -> String? {
    try overrides.reopened { try $0.json(key, "/v") }
  }

  @Test("overrides that the parent had still to write are not written by the child, until the child's program sets one")
  func outdated() throws {
    let scene = try overrides.scene()
    let handle = try overrides.open(scene)
    let path = overrides.directory.path("storage")
    #expect(chmod(path, 0o777) == 0)
    try? handle.set("a", "/v", "1")
    #expect(chmod(path, 0o700) == 0)
    fork(handle)
    let parent = try overrides.scene()
    try overrides.open(parent).set("a", "/v", "2")
    parent.client.close()
    handle.source.overridesStore.write(withinMs: 1000)
    #expect(try stored("a") == "2")
    try handle.set("b", "/v", "3")
    #expect(try stored("a") == "1")
    scene.client.close()
  }

  @Test("if the parent could not read the file, the child writes nothing when the file is readable again")
  func unread() throws {
    try overrides.reopened { try $0.set("a", "/v", "2") }
    let isBroken = Box(true)
    var calls = SystemCalls.real
    let open = calls.directories.openFile
    calls.directories.openFile = { directory, name, flags in
      isBroken.read { $0 } && name.hasSuffix(".overrides") ? -EIO : open(directory, name, flags)
    }
    let scene = try overrides.scene(calls)
    let handle = try overrides.open(scene)
    try handle.set("b", "/v", "1")
    fork(handle)
    isBroken.update { $0 = false }
    try handle.doDueWork()
    handle.source.overridesStore.write(withinMs: 1000)
    let found = try overrides.reopened { try $0.shown }
    #expect(found == ["a"])
    scene.client.close()
  }
}
