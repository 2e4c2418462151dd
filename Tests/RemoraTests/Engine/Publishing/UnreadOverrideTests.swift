// SPDX-License-Identifier: Apache-2.0
//
// Stored overrides whose file cannot be read for a time: nothing of it is lost, and the host's changes hold meanwhile.

import Glibc
import Testing

@testable import Remora

@Suite("Stored overrides whose file cannot be read for a while")
struct UnreadOverrideTests {
  let directory: TemporaryDirectory
  let server: SignedServer
  /// What opening the file of overrides fails with; 0 for nothing.
  private let failure = Box<Int32>(0)

  init() throws {
    directory = try TemporaryDirectory()
    server = try SignedServer.onOwnHost()
    let scene = try Scene(in: directory, server: server)
    let handle = try scene.open { $0.opening.persistsOverrides = true }
    try handle.set("a", "/x", "1")
    try handle.set("b", "", "1")
    scene.client.close()
  }

  /// Opens the source while its overrides cannot be read.
  private func unread(_ number: Int32 = EMFILE, log: Log? = nil) throws -> (Scene, OpenSource) {
    var calls = SystemCalls.real
    let open = calls.directories.openFile
    calls.directories.openFile = { [failure] directory, name, flags in
      let number = failure.read { $0 }
      return number != 0 && name.hasSuffix(".overrides") ? -number : open(directory, name, flags)
    }
    failure.update { $0 = number }
    let scene = try Scene(in: directory, server: server, calls: calls, log: log)
    return (scene, try scene.open { $0.opening.persistsOverrides = true })
  }

  /// The places of the overrides that another opening finds.
  private func stored() throws -> [String] {
    let scene = try Scene(in: directory, server: server)
    defer { scene.client.close() }
    let handle = try scene.open { $0.opening.persistsOverrides = true }
    #expect(try handle.source.info().storageError == nil)
    return try handle.source.overrides().places
  }

  @Test(
    "an override that is set while the file cannot be read replaces only stored overrides at the same place",
    arguments: [EMFILE, ENFILE, EIO, ENOMEM, EACCES])
  func change(number: Int32) throws {
    let (scene, handle) = try unread(number)
    #expect(try handle.shown == [])
    #expect(try handle.source.info().storageError?.code == .storage)
    try handle.set("a", "/y", "2")
    try handle.set("b", "", "2")
    #expect(try handle.source.info().storageError?.code == .storage)
    #expect(try handle.json("a") == #"{"y":2}"#)
    #expect(try stored() == ["a:/x", "b:"])

    failure.update { $0 = 0 }
    try handle.set("c", "", "3")
    #expect(try handle.source.info().storageError == nil)
    #expect(try handle.json("a") == #"{"x":1,"y":2}"#)
    #expect(try handle.json("b") == "2")
    scene.client.close()
    #expect(try stored() == ["a:/x", "a:/y", "b:", "c:"])
  }

  @Test("the file is read again in the background, and its overrides are then used together with those set since")
  func look() throws {
    let (scene, handle) = try unread()
    defer { scene.client.close() }
    let recorder = Recorder()
    _ = try handle.subscribe(key: nil, replay: false, recorder.sink)
    try handle.set("c", "", "3")
    #expect(recorder.seen(1).map(\.storageError) == [.storage])
    failure.update { $0 = 0 }
    #expect(recorder.seen(2).last == SeenEvent(cause: .override, changes: ["created a", "created b"]))
    try drainWorker()
    #expect(try handle.source.info().storageError == nil)
    #expect(try stored() == ["a:/x", "b:", "c:"])
  }

  @Test("an override that is cleared while the file cannot be read is later deleted from the file")
  func clear() throws {
    let (scene, handle) = try unread()
    defer { scene.client.close() }
    try handle.clear("b", "")
    try handle.set("a", "", "{}")
    try handle.clear("a", "")
    #expect(try handle.shown == [])
    #expect(try stored() == ["a:/x", "b:"])
    failure.update { $0 = 0 }
    try handle.set("c", "", "3")
    #expect(try stored() == ["c:"])
    #expect(code { try handle.clear("b", "") } == .notFound)
  }

  @Test("clearing all overrides replaces the file without reading it")
  func clearAll() throws {
    let (scene, handle) = try unread()
    defer { scene.client.close() }
    try handle.source.clearOverrides()
    #expect(try handle.source.info().storageError == nil)
    failure.update { $0 = 0 }
    #expect(try stored() == [])
    try handle.set("c", "", "3")
    #expect(try stored() == ["c:"])
  }

  @Test("an override of a whole value replaces the stored overrides inside that value")
  func covering() throws {
    let (scene, handle) = try unread()
    defer { scene.client.close() }
    try handle.set("a", "", #"{"z":1}"#)
    failure.update { $0 = 0 }
    try handle.set("c", "", "3")
    #expect(try handle.json("a") == #"{"z":1}"#)
    #expect(try stored() == ["a:", "b:", "c:"])
  }

  @Test("a file whose reading fails halfway is kept and read later, and a damaged file is replaced")
  func damage() throws {
    let identity = try server.dialect().identity
    let path = "storage/\(StoredFile.overrides(StorageName(hashing: identity)).fileName)"
    let fails = Box(true)
    var calls = SystemCalls.real
    let read = calls.files.read
    // The image alone is that long.
    calls.files.read = { $1.count > 64 && $1.count != 1024 && fails.read { $0 } ? -Int(EIO) : read($0, $1, $2) }
    // Others may read it, so that it is not mapped.
    #expect(chmod(directory.path(path), 0o644) == 0)
    let scene = try Scene(in: directory, server: server, calls: calls)
    let handle = try scene.open { $0.opening.persistsOverrides = true }
    try handle.set("c", "", "3")
    #expect(try handle.source.info().storageError?.code == .storage)
    #expect(try stored() == ["a:/x", "b:"])
    let bytes = try #require(directory.read(path))
    try directory.write(path, Array(bytes.dropLast()))
    fails.update { $0 = false }
    try handle.set("d", "", "4")
    #expect(try handle.source.info().storageError == nil)
    #expect(try stored() == ["c:", "d:"])
  }

  @Test("a failed read of stored overrides is logged once, and the log line says when the file is read again")
  func logged() throws {
    let lines = Box<[String]>([])
    let (scene, handle) = try unread(log: Log(level: .warning) { line in lines.update { $0.append(line.text) } })
    for _ in 0..<3 { Runtime.shared.worker.perform { handle.source.overrideEditor.reread($0) } }
    scene.client.services.note(.warning, "end")
    #expect(lines.wait { $0.last == "end" })
    #expect(lines.read { $0.filter { $0.contains("stored overrides") } }.count == 1)
    #expect(lines.read { $0.contains { $0.contains("retry later") } })
  }

  @Test("if a refresh removes a namespace while the file cannot be read, the namespace's overrides are deleted later")
  func removal() throws {
    let body = Box(bundleText("1", bundleElement("a")))
    let transport = ScriptedTransport { _ in .success(.answer(200, body.read { $0 })) }
    func open(_ calls: SystemCalls = .real) throws -> (Scene, OpenSource) {
      let scene = try Scene(in: directory, transport: transport, calls: calls)
      var options = BundleOptions()
      options.url = "https://h.example/x"
      options.opening.firstFetch = .onRequest
      options.opening.persistsOverrides = true
      return (scene, try scene.client.openBundle(options))
    }
    var (scene, handle) = try open()
    handle.refresh()
    try handle.set("a", "/x", "1")
    try handle.set("b", "/x", "1")
    scene.client.close()
    var calls = SystemCalls.real
    let real = calls.directories.openFile
    calls.directories.openFile = { [failure] in
      let number = failure.read { $0 }
      return number != 0 && $1.hasSuffix(".overrides") ? -number : real($0, $1, $2)
    }
    failure.update { $0 = EIO }
    (scene, handle) = try open(calls)
    body.update { $0 = bundleText("2", #"{"namespace":"a"}"#) }
    #expect(handle.refresh().outcome == .updated)
    failure.update { $0 = 0 }
    try handle.set("c", "/x", "1")
    #expect(try handle.source.overrides().places == ["b:/x", "c:/x"])
    scene.client.close()
    (scene, handle) = try open()
    #expect(try handle.source.overrides().places == ["b:/x", "c:/x"])
  }
}
