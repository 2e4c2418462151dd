// SPDX-License-Identifier: Apache-2.0
//
// Packaged data over a storage that is damaged, full, read-only, cut off or shared: opening always succeeds.

import Glibc
import Testing

@testable import Remora

extension PackagedCompilationTests {
  /// Collects debug lines about the stored image.
  private func log(_ lines: Box<[String]>) -> Log {
    Log(level: .debug) { line in
      if line.level == .debug, line.text.contains("packaged data") { lines.update { $0.append(line.text) } }
    }
  }

  @Test("if the stored binary form of packaged data is damaged, it is created again and a debug line is logged")
  func damaged() throws {
    let packaged = try packaged()
    _ = try keys(packaged)
    let file = "storage/\(try #require(files.first))"
    let whole = try #require(directory.read(file))
    let places = [0, 8, 16, 24, 32, 64, 104, ImageFormat.headerSize, whole.count - 9, whole.count - 1]
    let spread = stride(from: 200, to: whole.count, by: whole.count / 15)
    var damaged = (places + spread).map { place in
      var bytes = whole
      bytes[place] ^= 1
      return bytes
    }
    damaged += [0, 1, ImageFormat.headerSize, whole.count / 2, whole.count - 1].map { Array(whole[..<$0]) }
    for bytes in damaged {
      try directory.write(file, bytes)
      let lines = Box<[String]>([])
      #expect(try keys(packaged, log: log(lines)) == ["a", "large"])
      #expect(lines.read(\.count) == 1)
      #expect(lines.read { $0.allSatisfy { $0.contains("cannot be used") } })
      #expect(directory.read(file) == whole)
    }
  }

  @Test("if the disk is full or read-only, each opening converts the packaged data again and logs a debug line")
  func notWritable() throws {
    let packaged = try packaged()
    for number in [ENOSPC, EROFS, EACCES] {
      var calls = SystemCalls.real
      let open = calls.directories.openFile
      calls.directories.openFile = { number != ENOSPC && $2 & O_CREAT != 0 ? -number : open($0, $1, $2) }
      if number == ENOSPC { calls.files.write = { _, _, _ in Int(-ENOSPC) } }
      for _ in 1...2 {
        let lines = Box<[String]>([])
        #expect(try keys(packaged, calls, log: log(lines)) == ["a", "large"])
        #expect(lines.read { $0.count == 1 && $0.allSatisfy { $0.contains("cannot be stored") } })
      }
      #expect(files.isEmpty)
    }
    // An image that is there is used even if nothing can be written.
    _ = try keys(packaged)
    try plantOther()
    var calls = SystemCalls.real
    let open = calls.directories.openFile
    calls.directories.openFile = { $2 & O_CREAT != 0 ? -EROFS : open($0, $1, $2) }
    calls.directories.touch = { _, _, _ in -EROFS }
    #expect(try keys(packaged, calls) == [])
  }

  @Test("if a system call fails, the source still opens with its packaged data, and so does the next opening")
  func failures() throws {
    let packaged = try packaged()
    for isStored in [false, true] {
      for number in 1...40 {
        for file in files { unlink(directory.path("storage/\(file)")) }
        if isStored { _ = try keys(packaged) }
        let faults = FaultySystemCalls()
        let scene = try scene(faults.calls)
        faults.arm([number: .fails(errno: EIO)], onThisThread: true)
        #expect(try scene.open { $0.packaged = packaged }.keys == ["a", "large"], "call \(number) of \(faults.log)")
        let count = faults.callCount
        faults.disarm()
        scene.client.close()
        #expect(try keys(packaged) == ["a", "large"], "call \(number) of \(faults.log)")
        if count < number { break }
        #expect(number < 40)
      }
    }
  }

  @Test(
    "after a crash at any system call, the next opening reads the packaged data and one stored file exists",
    arguments: LostWrites.allCases)
  func crash(lost: LostWrites) throws {
    let packaged = try packaged()
    for number in 1...40 {
      for file in files { unlink(directory.path("storage/\(file)")) }
      let faults = FaultySystemCalls()
      let scene = try scene(faults.calls)
      faults.arm([number: .crash(lost)], onThisThread: true)
      _ = try scene.open { $0.packaged = packaged }
      let count = faults.callCount
      scene.client.close()
      #expect(try keys(packaged) == ["a", "large"], "call \(number) of \(faults.log)")
      #expect(files.count == 1, "call \(number) of \(faults.log)")
      try plantOther()
      #expect(try keys(packaged) == [])
      if count < number { return }
    }
    Issue.record("an opening makes more than 40 calls")
  }

  @Test(
    "two processes that open a source at the same time both read its packaged data, and store one binary file", .forks)
  func twoProcesses() async {
    // A process of its own, as in KilledWriterTests.
    await #expect(processExitsWith: .success) { try PackagedCompilationTests().openTogether() }
  }

  private func openTogether() throws {
    let packaged = try packaged()
    guard case .bytes(let bytes) = packaged else { return }
    try directory.write("packaged.json", bytes)
    let (path, file, dialect) = (directory.path("storage"), directory.path("packaged.json"), try server.dialect())
    _ = try scene()
    for _ in 1...5 {
      for file in files { unlink(directory.path("storage/\(file)")) }
      let children = (1...2).map { _ in
        ForkedChild {
          guard let storage = try? StorageDirectory.open(path: path),
            let client = try? Client(ClientOptions(storage: storage), runtime: Runtime()),
            let found = try? PackagedCompilation(dialect, client.services).image(of: .file(file))
          else { return 1 }
          return found.image.count == 2 && found.signatures.count == 1 ? 0 : 2
        }
      }
      try #require(children.map { $0.wait() } == [0, 0])
      try #require(files.count == 1)
    }
    try #require(try keys(packaged) == ["a", "large"])
    try plantOther()
    try #require(try keys(packaged) == [])
  }

  @Test("a client does not store the binary form of packaged data while the lock for it is in use")
  func busy() throws {
    let scene = try scene()
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let lock = try storage.locked(StorageName(hashing: try server.dialect().identity).ofPackaged)
    #expect(try scene.open { $0.packaged = try? packaged() }.keys == ["a", "large"])
    #expect(files.isEmpty)
    lock.unlock()
    #expect(try keys(packaged()) == ["a", "large"])
    #expect(files.count == 1)
  }
}
