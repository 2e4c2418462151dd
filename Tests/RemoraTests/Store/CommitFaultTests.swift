// SPDX-License-Identifier: Apache-2.0
//
// Every system call of a commit, a promotion, a reset and a download fails, does half, or is the last before a crash,
// in turn. After each: the old file or the new one exists, whole, and the next operation succeeds.

import Glibc
import Testing

@testable import Remora

@Suite("Storing the files of a source, and attachments, when system calls fail")
struct CommitFaultTests {
  private static let errorNumbers = [ENOSPC, EIO, EDQUOT, EMFILE, EROFS, EACCES, EFBIG]

  @Test(
    "a crash at any system call leaves the old or the new data complete, and temporary files are deleted later",
    arguments: Operation.all, LostWrites.allCases)
  func crashes(operation: Operation, lost: LostWrites) throws {
    try forEachCall { call in
      let trial = try Trial(operation)
      let failure = trial.run([call: .crash(lost)])
      let after = try trial.reopened()
      let newest = try operation.newest(in: after)
      #expect(operation.outcomes.contains(newest), "call \(call) of \(trial.faults.log)")
      if failure == nil { #expect(newest == operation.outcomes.last) }
      #expect(try operation.staged.contains(after.bytes(.staged)), "call \(call) of \(trial.faults.log)")
      if operation.isDownload { #expect(trial.temporary.names.allSatisfy { $0 == "lock" || $0.hasPrefix(logo.hex) }) }
      try expectNoTemporaries(after, trial)
      try operation.expectNext(in: after)
      return trial.isClean(call)
    }
  }

  @Test(
    "if a system call fails, the old data stays readable, no temporary file remains and the error has the reason",
    arguments: Operation.all, errorNumbers)
  func failures(operation: Operation, number: Int32) throws {
    try forEachCall { call in
      let trial = try Trial(operation)
      let failure = trial.run([call: .fails(errno: number)])
      let isClean = trial.isClean(call)
      let made = trial.faults.log
      #expect((failure == nil) == isClean, "call \(call) of \(made)")
      if let failure {
        #expect(failure.code == .storage)
        #expect(failure.message.hasSuffix(errorText(number)))
        #expect(failure.message.contains(trial.temporary.path))
      }
      let stored = try operation.current(in: trial.reopened())
      #expect(operation.outcomes.contains(stored), "call \(call) of \(made)")
      // Only when the last step failed, the sync of the directory, may the new data show beside an error.
      let isLastStep = made.dropFirst(call - 1).first == "sync" && made.prefix(call - 1).contains(operation.change)
      if !isClean, !isLastStep { #expect(stored == operation.outcomes.first, "call \(call) of \(made)") }
      if operation.isDownload, isClean || isLastStep { #expect(stored == operation.outcomes.last) }
      #expect(!trial.temporary.names.contains { $0.hasSuffix(".tmp") }, "call \(call) of \(made)")
      // What failed on its way to the disk is not continued.
      if made.prefix(call).contains("sync") { #expect(!trial.temporary.names.contains("\(logo.hex).part")) }
      return isClean
    }
  }

  @Test(
    "if system calls are interrupted or write only a part, they are repeated until the data is stored",
    arguments: Operation.all)
  func interruptions(operation: Operation) throws {
    for accident in [Accident.fails(errno: EINTR), .isShort] {
      try forEachCall { call in
        let trial = try Trial(operation)
        #expect(trial.run([call: accident, call + 1: accident]) == nil, "call \(call) of \(trial.faults.log)")
        #expect(try operation.current(in: trial.reopened()) == operation.outcomes.last)
        return trial.isClean(call)
      }
    }
  }

  @Test(
    "if two system calls fail, one of them during the cleanup, the old or the new data is complete",
    arguments: Operation.all)
  func doubleFailures(operation: Operation) throws {
    for first in 1...12 {
      for second in first + 1...13 {
        let trial = try Trial(operation)
        _ = trial.run([first: .fails(errno: EIO), second: .fails(errno: EIO)])
        let after = try trial.reopened()
        let calls = "calls \(first) and \(second) of \(trial.faults.log)"
        #expect(try operation.outcomes.contains(operation.newest(in: after)), Comment(rawValue: calls))
        try expectNoTemporaries(after, trial)
      }
    }
  }

  @Test(
    "if fsync of a file fails, it is not called again on the same file",
    arguments: [
      (.commit, ["open", "write", "sync", "remove"]),
      (.download(after: .nothing), ["open", "open", "write", "write", "sync", "remove"]),
    ] as [(Operation, [String])])
  func syncOnce(operation: Operation, calls: [String]) throws {
    let trial = try Trial(operation)
    _ = trial.run([calls.count - 1: .fails(errno: EIO)])
    #expect(trial.faults.log == calls)
  }

  @Test(
    "data is stored even on a file system that cannot sync a directory",
    arguments: [
      (.commit, ["open", "write", "sync", "rename", "rename", "sync"]),
      (.download(after: .nothing), ["open", "open", "write", "write", "sync", "rename", "sync"]),
    ] as [(Operation, [String])])
  func noDirectorySync(operation: Operation, calls: [String]) throws {
    let trial = try Trial(operation)
    #expect(trial.run([calls.count: .fails(errno: EINVAL)]) == nil)
    #expect(trial.faults.log == calls)
  }

  @Test(
    "reading stored data fails if a system call fails, and interrupted calls are repeated",
    arguments: [Operation.commit, .download(after: .nothing)])
  func reads(operation: Operation) throws {
    for (accident, expected) in [
      (Accident.fails(errno: EIO), RemoraError.Code?.some(.storage)), (.fails(errno: EINTR), nil), (.isShort, nil),
    ] {
      try forEachCall { call in
        let trial = try Trial(operation)
        #expect(trial.run([:]) == nil)
        // Not private, so that an image is read and not mapped.
        chmod(trial.temporary.path(fileName(.live)), 0o644)
        trial.faults.arm([call: accident])
        var bytes: ImageBytes?
        let failure = code { bytes = try operation.current(in: trial.directory) }
        let isClean = trial.isClean(call)
        #expect(failure == (isClean ? nil : expected))
        #expect(failure != nil || bytes == operation.outcomes.last)
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
    Issue.record("the operation does not end")
  }

  private func expectNoTemporaries(_ directory: StorageDirectory, _ trial: Trial) throws {
    DirectorySweep(directory).run(nowMs: SystemClock().nowMs)
    #expect(!trial.temporary.names.contains { $0.hasSuffix(".tmp") })
  }
}

/// An operation that is tried under faults.
enum Operation: Equatable {
  /// Before each of these, the previous image is 1 and the live image is 2.
  case commit, stage, promote, reset
  /// The download of an attachment.
  case download(after: LeftPart)

  static let all = [commit, stage, promote, reset] + LeftPart.allCases.map(download)

  var isDownload: Bool { if case .download = self { true } else { false } }

  /// What the newest data may be, before and after.
  var outcomes: [ImageBytes?] {
    switch self {
    case .commit, .promote: [image(2), image(3)]
    case .stage: [image(2)]
    case .reset: [image(2), nil]
    case .download: [nil, image(3)]
    }
  }

  /// The call that changes the directory.
  var change: String { self == .reset ? "remove" : "rename" }

  /// What may be staged, before and after.
  var staged: [ImageBytes?] { [.commit].contains(self) || isDownload ? [nil] : [image(3), nil] }

  /// The data that the operation replaces.
  func current(in directory: StorageDirectory) throws -> ImageBytes? {
    isDownload ? try directory.attachment() : try directory.bytes(.live)
  }

  /// That data, or the image before it.
  func newest(in directory: StorageDirectory) throws -> ImageBytes? {
    try current(in: directory) ?? (isDownload ? nil : directory.bytes(.previous))
  }

  /// Whatever happened before, the next commit or download works.
  func expectNext(in directory: StorageDirectory) throws {
    guard isDownload else {
      try directory.locked().commit(image(9))
      return #expect(try directory.bytes(.live) == image(9))
    }
    try Operation.download(after: .nothing).run(under: directory.locked(logo))
    #expect(try directory.attachment() == outcomes.last)
  }

  func run(under lock: SourceLock) throws {
    switch self {
    case .commit: try lock.commit(image(3))
    case .stage: try lock.commit(image(3), to: .staged)
    case .promote: try lock.promoteStaged()
    case .reset: try lock.removeImages()
    case .download: try lock.download(image(3))
    }
  }
}

/// What an earlier attempt of a download left.
enum LeftPart: CaseIterable {
  /// Nothing.
  case nothing
  /// The first third of the bytes.
  case part
  /// More than there should be, of something else.
  case otherPart
  /// A link in the part's place.
  case planted

  func leave(in temporary: TemporaryDirectory) throws {
    let name = "\(logo.hex).part"
    switch self {
    case .nothing: break
    case .part: try temporary.write(name, image(3, count: 1000).bytes)
    case .otherPart: try temporary.write(name, image(5, count: 4000).bytes)
    case .planted: symlink("/nowhere", temporary.path(name))
    }
  }
}

extension SourceLock {
  /// A download as the engine makes it: what was left is continued, and begun anew when that gives other bytes.
  fileprivate func download(_ content: ImageBytes) throws {
    let part = try openPart(logo)
    for _ in 1...2 {
      if part.count > content.bytes.count { try part.truncate(to: 0) }
      let middle = (part.count + content.bytes.count) / 2
      try part.append(content.bytes[part.count..<middle])
      try part.append(content.bytes[middle...])
      if try part.bytes == content { return try install(part) }
      try part.truncate(to: 0)
    }
    throw RemoraError(.internal, "other bytes came")
  }
}

/// One run of an operation in a directory of its own.
private struct Trial {
  let temporary: TemporaryDirectory
  let faults = FaultySystemCalls()
  let directory: StorageDirectory
  private let operation: Operation
  private let lock: SourceLock

  init(_ operation: Operation) throws {
    self.operation = operation
    temporary = try TemporaryDirectory()
    directory = try StorageDirectory.open(path: temporary.path, calls: faults.calls)
    lock = try operation.isDownload ? directory.locked(logo) : directory.locked()
    if case .download(let left) = operation {
      try left.leave(in: temporary)
      return
    }
    for byte in UInt8(1)...2 { try lock.commit(image(byte)) }
    temporary.ageLive()
    if [.promote, .reset].contains(operation) { try lock.commit(image(3), to: .staged) }
  }

  /// Runs the operation with accidents planned, and answers its error.
  func run(_ accidents: [Int: Accident]) -> RemoraError? {
    faults.arm(accidents)
    do {
      try operation.run(under: lock)
      return nil
    } catch {
      return error as? RemoraError
    }
  }

  /// Whether the operation ended before the planned call.
  func isClean(_ call: Int) -> Bool { faults.callCount < call }

  /// The directory as a new process finds it: without anybody's lock.
  func reopened() throws -> StorageDirectory {
    faults.disarm()
    lock.unlock()
    return try StorageDirectory.open(path: temporary.path)
  }
}
