// SPDX-License-Identifier: Apache-2.0
//
// Packaged data at the second opening: mapped instead of decoded, and otherwise as at the first.

import Glibc
import Testing

@testable import Remora

@Suite("Packaged data (shipped with the program) whose binary form is stored at the first opening")
struct PackagedCompilationTests {
  let directory: TemporaryDirectory
  let server: SignedServer

  init() throws {
    directory = try TemporaryDirectory()
    server = try SignedServer.onOwnHost()
    server.put("a", at: 900)
    server.put("large", #""v":"\#(String(repeating: "x", count: PackagedData.leastStoredBytes))""#, at: 1000)
  }

  /// The server's present state as a host packages it, signed.
  func packaged() throws -> PackagedData {
    let full = try server.changeset()
    let package = Package(
      records: full.changes, timestamp: full.timestamp,
      signature: try server.sign(full.changes, at: full.timestamp), chain: server.chain.pem)
    return .bytes(Array(package.text.utf8))
  }

  func scene(_ calls: SystemCalls = .real, log: Log? = nil) throws -> Scene {
    try Scene(in: directory, server: server, calls: calls, log: log)
  }

  /// The ids that a new client finds in packaged data.
  func keys(_ packaged: PackagedData, _ calls: SystemCalls = .real, log: Log? = nil) throws -> [String] {
    let scene = try scene(calls, log: log)
    let keys = try scene.open { $0.packaged = packaged }.keys
    scene.client.close()
    return keys
  }

  /// The names of the stored images of packaged data.
  var files: [String] {
    ((try? StorageDirectory.open(path: directory.path("storage")).storedFiles()) ?? []).compactMap {
      if case .packaged = $0 { $0.fileName } else { nil }
    }
  }

  /// The number of the stored file, which another file of its name does not have.
  private var inode: UInt64? {
    var status = stat()
    guard let file = files.first, stat(directory.path("storage/\(file)"), &status) == 0 else { return nil }
    return UInt64(status.st_ino)
  }

  /// Stores an image of other content under the name of the present one, so that its use shows.
  func plantOther() throws {
    let file = try #require(files.first)
    let other = try server.dialect().compile(.bytes(Array(#"{"data":[],"timestamp":2000}"#.utf8)))
    try directory.write("storage/\(file)", other.fileParts().flatMap { Array($0.bytes) })
  }

  @Test("the second opening reads the stored binary form, and does not parse the packaged JSON again")
  func secondOpening() throws {
    let packaged = try packaged()
    #expect(try keys(packaged) == ["a", "large"])
    #expect(files.count == 1)
    let first = try #require(inode)
    #expect(try keys(packaged) == ["a", "large"])
    #expect(inode == first)
    try plantOther()
    #expect(try keys(packaged) == [])
  }

  @Test("packaged data that is given as a file, as bytes or as borrowed bytes uses the same stored binary file")
  func forms() throws {
    let packaged = try packaged()
    guard case .bytes(let bytes) = packaged else { return }
    try directory.write("packaged.json", bytes)
    #expect(try keys(packaged) == ["a", "large"])
    let stored = files
    func keysInOtherForms() throws -> [[String]] {
      [
        try keys(.file(directory.path("packaged.json"))),
        try bytes.withUnsafeBytes { try keys(.borrowed(BorrowedBytes($0))) },
      ]
    }
    #expect(try keysInOtherForms() == [["a", "large"], ["a", "large"]])
    #expect(files == stored)
    try plantOther()
    #expect(try keysInOtherForms() == [[], []])
  }

  @Test("if the packaged data has changed, a new binary form is stored and the old one is deleted")
  func changed() throws {
    #expect(try keys(packaged()) == ["a", "large"])
    let old = files
    server.put("b", at: 1100)
    #expect(try keys(packaged()) == ["a", "b", "large"])
    #expect(files.count == 1 && files != old)
  }

  @Test("packaged data has a separate stored binary file for each trust policy")
  func otherPolicy() throws {
    let packaged = try packaged()
    _ = try keys(packaged)
    let scene = try scene()
    let handle = try scene.open {
      $0.packaged = packaged
      $0.requiresSignature = false
    }
    #expect(files.count == 2)
    #expect(handle.source.options.packaged?.signatures.isEmpty == true)
  }

  @Test("no binary form is stored if the packaged data is small, or if the client or the settings are in memory only")
  func notStored() throws {
    let small = #"{"data":[\#(record("a", at: 1))],"timestamp":1}"#
    #expect(try keys(.bytes(Array(small.utf8))) == ["a"])
    #expect(files.isEmpty)
    let large = Array(#"{"a":"\#(String(repeating: "x", count: PackagedData.leastStoredBytes))"}"#.utf8)
    for isMemoryOnly in [true, false] {
      let stage = try SettingsStage(in: directory)
      let handle = try stage.open {
        $0.packaged = .bytes(large)
        $0.isMemoryOnly = isMemoryOnly
      }
      #expect(handle.keys == ["a"])
      #expect(files.isEmpty == isMemoryOnly)
      stage.scene.client.close()
    }
    let scene = try Scene(server: server)
    #expect(try scene.open { $0.packaged = try? packaged() }.keys == ["a", "large"])
  }

  @Test("large packaged settings have the origin PACKAGED at both the first opening and the second")
  func settings() throws {
    let large = Array(#"{"a":"\#(String(repeating: "x", count: PackagedData.leastStoredBytes))"}"#.utf8)
    var checksums: [UInt64] = []
    let base = try SettingsStage()
    for _ in 1...2 {
      let stage = try SettingsStage(in: directory, base: base)
      let handle = try stage.open { $0.packaged = .bytes(large) }
      #expect(handle.keys == ["a"])
      #expect(try handle.source.info().origin == .packaged)
      checksums.append(try handle.source.acquire().base.checksum)
      stage.scene.client.close()
    }
    #expect(checksums.first == checksums.last)
    #expect(files.count == 1)
  }

  @Test("invalid packaged data fails each opening with the same error, and nothing is stored")
  func invalid() throws {
    let text = #"{"data":[{"id":"\#(String(repeating: "x", count: PackagedData.leastStoredBytes))"}]}"#
    let invalid: [(PackagedData, RemoraError.Code)] = [
      (.bytes(Array(text.utf8)), .format), (.file(directory.path("missing")), .storage),
      (.file(directory.path), .storage),
    ]
    for (data, expected) in invalid {
      let messages = try (1...2).map { _ in
        let scene = try scene()
        do {
          _ = try scene.open { $0.packaged = data }
          return ""
        } catch let error as RemoraError {
          #expect(error.code == expected)
          return error.message
        }
      }
      #expect(messages[0] == messages[1])
    }
    #expect(files.isEmpty)
  }

  @Test("states, events and log lines are the same with and without a stored binary form of the packaged data")
  func unchangedBehaviour() throws {
    let packaged = try packaged()
    // The first refresh fetches the certificate chain, which all clients of the process share.
    _ = try story(of: packaged, in: nil)
    let inMemory = try story(of: packaged, in: nil)
    #expect(inMemory.states == [.init(false), .init(true), .init(true), .init(true)])
    #expect(inMemory.outcomes == [.unchanged, .notNewer, .refused])
    #expect(inMemory.lines.contains { $0.contains("is verified") })
    #expect(try story(of: packaged, in: directory) == inMemory)
    let other = try PackagedCompilationTests(server)
    #expect(try other.keys(packaged) == ["a", "large"])
    #expect(try story(of: packaged, in: other.directory) == inMemory)
  }

  private init(_ server: SignedServer) throws {
    directory = try TemporaryDirectory()
    self.server = server
  }

  /// What a host sees of a source.
  private struct Story: Equatable {
    struct State: Equatable {
      var origin = Origin.packaged
      var isVerified: Bool

      init(_ isVerified: Bool) { self.isVerified = isVerified }
    }

    var states: [State] = []
    var outcomes: [Outcome] = []
    var errors: [RemoraError.Code?] = []
    var urls: [String] = []
    var events: [SeenEvent] = []
    var lines: [String] = []
  }

  /// Opens packaged data, verifies it by a refresh, and refreshes from a server with older and one with other content.
  private func story(of packaged: PackagedData, in directory: TemporaryDirectory?) throws -> Story {
    let lines = Box<[String]>([])
    let log = Log(level: .info) { line in lines.update { $0.append(line.text) } }
    let scene = try Scene(in: directory, server: server, log: log)
    let recorder = Recorder()
    var story = Story()
    let handle = try scene.open({ $0.packaged = packaged }, subscriber: recorder.sink)
    func look() throws {
      var state = Story.State(handle.isVerified)
      state.origin = try handle.source.info().origin
      story.states.append(state)
    }
    try look()
    let (old, liar) = (try SignedServer(base: server.base), try SignedServer(base: server.base))
    old.put("z", at: 100)
    liar.put("z", at: 1000)
    for (answering, events) in [(server, 2), (old, 3), (liar, 4)] {
      scene.transport.answer { [server] request in
        let isDiff = answering === server
        return .success(answering.answer(isDiff ? request.url : request.url.replacing("&_since=1000", with: "")))
      }
      let result = handle.refresh()
      story.outcomes.append(result.outcome)
      story.errors.append(result.error?.code)
      _ = recorder.seen(events)
      try look()
    }
    story.urls = scene.transport.urls
    story.events = recorder.all
    scene.client.close()
    story.lines = lines.read { $0 }
    return story
  }
}
