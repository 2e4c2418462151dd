// SPDX-License-Identifier: Apache-2.0
//
// Every call of a download fails, does half, or is the last before a crash, in turn. After each: no attachment, or the
// whole one; and the next attempt succeeds.

import Glibc
import Testing

@testable import Remora

@Suite("Storing attachments when system calls fail")
struct AttachmentFaultTests {
  private static let errorNumbers = [ENOSPC, EIO, EDQUOT, EMFILE, EROFS, EACCES, EFBIG]

  @Test(
    "a crash at any system call leaves either no attachment file or a complete one", arguments: Start.allCases,
    LostWrites.allCases)
  func crashes(start: Start, lost: LostWrites) throws {
    try forEachCall { call in
      let trial = try Trial(start)
      let failure = trial.run([call: .crash(lost)])
      let after = try trial.reopened()
      let stored = try after.attachment()
      #expect(stored == nil || stored == Trial.content, "call \(call) of \(trial.faults.log)")
      if failure == nil { #expect(stored == Trial.content) }
      #expect(trial.temporary.names.allSatisfy { $0 == "lock" || $0.hasPrefix(logo.hex) })
      try Trial.download(under: after.locked(logo))
      #expect(try after.attachment() == Trial.content)
      return trial.isClean(call)
    }
  }

  @Test(
    "if a system call fails, no attachment is stored and the error message has the reason", arguments: Start.allCases,
    errorNumbers)
  func failures(start: Start, number: Int32) throws {
    try forEachCall { call in
      let trial = try Trial(start)
      let failure = trial.run([call: .fails(errno: number)])
      let isClean = trial.isClean(call)
      let made = trial.faults.log
      #expect((failure == nil) == isClean, "call \(call) of \(made)")
      if let failure {
        #expect(failure.code == .storage)
        #expect(failure.message.hasSuffix(errorText(number)))
        #expect(failure.message.contains(trial.temporary.path))
      }
      let stored = try trial.reopened().attachment()
      // Only when the last step failed, the sync of the directory, may the attachment show beside an error.
      let isLastStep = made.prefix(call - 1).contains("rename")
      #expect(stored == (isClean || isLastStep ? Trial.content : nil), "call \(call) of \(made)")
      // What failed on its way to the disk is not continued.
      if made.prefix(call).contains("sync") { #expect(!trial.temporary.names.contains("\(logo.hex).part")) }
      return isClean
    }
  }

  @Test(
    "if system calls are interrupted or write only a part, they are repeated until the attachment is stored",
    arguments: Start.allCases)
  func interruptions(start: Start) throws {
    for accident in [Accident.fails(errno: EINTR), .isShort] {
      try forEachCall { call in
        let trial = try Trial(start)
        #expect(trial.run([call: accident, call + 1: accident]) == nil, "call \(call) of \(trial.faults.log)")
        #expect(try trial.reopened().attachment() == Trial.content)
        return trial.isClean(call)
      }
    }
  }

  @Test(
    "if two system calls fail, one of them during the cleanup, no incomplete attachment is stored",
    arguments: Start.allCases)
  func doubleFailures(start: Start) throws {
    for first in 1...10 {
      for second in first + 1...11 {
        let trial = try Trial(start)
        _ = trial.run([first: .fails(errno: EIO), second: .fails(errno: EIO)])
        let after = try trial.reopened()
        let stored = try after.attachment()
        #expect(stored == nil || stored == Trial.content, "calls \(first) and \(second) of \(trial.faults.log)")
      }
    }
  }

  @Test("if fsync of an attachment fails, it is not called again and the partial file is deleted")
  func syncOnce() throws {
    let trial = try Trial(.nothing)
    _ = trial.run([5: .fails(errno: EIO)])
    #expect(trial.faults.log == ["open", "open", "write", "write", "sync", "remove"])
  }

  @Test("an attachment is stored on a file system that cannot sync a directory")
  func noDirectorySync() throws {
    let trial = try Trial(.nothing)
    #expect(trial.run([7: .fails(errno: EINVAL)]) == nil)
    #expect(trial.faults.log == ["open", "open", "write", "write", "sync", "rename", "sync"])
  }

  @Test("opening an attachment file fails if a system call fails, and interrupted calls are repeated")
  func openings() throws {
    for (accident, expected) in [
      (Accident.fails(errno: EIO), RemoraError.Code?.some(.storage)), (.fails(errno: EINTR), nil), (.isShort, nil),
    ] {
      try forEachCall { call in
        let trial = try Trial(.nothing)
        #expect(trial.run([:]) == nil)
        trial.faults.arm([call: accident])
        var bytes: ImageBytes?
        let failure = code { bytes = try trial.directory.attachment() }
        let isClean = trial.isClean(call)
        #expect(failure == (isClean ? nil : expected))
        #expect(failure != nil || bytes == Trial.content)
        return isClean
      }
    }
  }

  @Test(
    "if no memory or file descriptor is free, creating a partial file in memory fails with the reason",
    arguments: [EMFILE, ENOMEM, ENFILE])
  func noMemory(number: Int32) throws {
    let faults = FaultySystemCalls()
    faults.arm([1: .fails(errno: number)])
    let error = #expect(throws: RemoraError.self) { try PartFile.inMemory(logo, calls: faults.calls) }
    #expect(error?.code == .storage)
    #expect(error?.message.hasSuffix(errorText(number)) == true)
    faults.arm([1: .fails(errno: EINTR), 2: .fails(errno: EINTR)])
    let part = try PartFile.inMemory(logo, calls: faults.calls)
    faults.arm([1: .isShort, 2: .fails(errno: EINTR)])
    try part.append(image(1).bytes[...])
    #expect(try part.bytes == image(1))
    faults.arm([1: .fails(errno: ENOSPC)])
    #expect(code { try part.append([1]) } == .storage)
  }

  /// Runs for call 1, 2, 3, … until `body` says that no call was left to fail.
  private func forEachCall(_ body: (Int) throws -> Bool) throws {
    for call in 1...100 where try body(call) {
      #expect(call > 1)
      return
    }
    Issue.record("the download does not end")
  }
}

/// What an earlier attempt left.
enum Start: CaseIterable {
  /// Nothing.
  case nothing
  /// The first third of the bytes.
  case part
  /// More than there should be, of something else.
  case otherPart
  /// A link in the part's place.
  case planted
}

/// One download into a directory of its own.
private struct Trial {
  static let content = image(3)
  let temporary: TemporaryDirectory
  let faults = FaultySystemCalls()
  let directory: StorageDirectory
  private let lock: SourceLock

  init(_ start: Start) throws {
    temporary = try TemporaryDirectory()
    directory = try StorageDirectory.open(path: temporary.path, calls: faults.calls)
    lock = try directory.locked(logo)
    let path = "\(logo.hex).part"
    switch start {
    case .nothing: break
    case .part: try temporary.write(path, Array(Self.content.bytes[..<1000]))
    case .otherPart: try temporary.write(path, image(5, count: 4000).bytes)
    case .planted: symlink("/nowhere", temporary.path(path))
    }
  }

  /// Downloads with accidents planned, and answers its error.
  func run(_ accidents: [Int: Accident]) -> RemoraError? {
    faults.arm(accidents)
    do {
      try Self.download(under: lock)
      return nil
    } catch {
      return error as? RemoraError
    }
  }

  /// A download as the engine makes it: what was left is continued, and begun anew when that gives other bytes.
  static func download(under lock: SourceLock) throws {
    let part = try lock.openPart(logo)
    for _ in 1...2 {
      if part.count > content.bytes.count { try part.truncate(to: 0) }
      let middle = (part.count + content.bytes.count) / 2
      try part.append(content.bytes[part.count..<middle])
      try part.append(content.bytes[middle...])
      if try part.bytes == content { return try lock.install(part) }
      try part.truncate(to: 0)
    }
    throw RemoraError(.internal, "other bytes came")
  }

  /// Whether the download ended before the planned call.
  func isClean(_ call: Int) -> Bool { faults.callCount < call }

  /// The directory as a new process finds it: without anybody's lock.
  func reopened() throws -> StorageDirectory {
    faults.disarm()
    lock.unlock()
    return try StorageDirectory.open(path: temporary.path)
  }
}
