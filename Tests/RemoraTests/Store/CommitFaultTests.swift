// SPDX-License-Identifier: Apache-2.0
//
// Every call of a commit, a promotion and a reset fails, does half, or is the last before a crash, in turn.
// After each: the old image or the new one is there, whole.

import Glibc
import Testing

@testable import Remora

@Suite("Storing the files of a source when system calls fail")
struct CommitFaultTests {
  private static let errorNumbers = [ENOSPC, EIO, EDQUOT, EMFILE, EROFS, EACCES, EFBIG]

  @Test(
    "a crash at any system call leaves the old or the new data complete, and temporary files are deleted later",
    arguments: Operation.allCases, LostWrites.allCases)
  func crashes(operation: Operation, lost: LostWrites) throws {
    try forEachCall { call in
      let trial = try Trial(operation)
      let failure = trial.run([call: .crash(lost)])
      let after = try trial.reopened()
      let newest = try after.bytes(.live) ?? after.bytes(.previous)
      #expect(operation.outcomes.contains(newest), "call \(call) of \(trial.faults.log)")
      if failure == nil { #expect(newest == operation.outcomes.last) }
      #expect(try operation.staged.contains(after.bytes(.staged)), "call \(call) of \(trial.faults.log)")
      try expectNoTemporaries(after, trial)
      try expectCommits(after)
      return trial.isClean(call)
    }
  }

  @Test(
    "if a system call fails while data is stored, the old data stays readable and no temporary file remains",
    arguments: Operation.allCases, errorNumbers)
  func failures(operation: Operation, number: Int32) throws {
    try forEachCall { call in
      let trial = try Trial(operation)
      let failure = trial.run([call: .fails(errno: number)])
      let isClean = trial.isClean(call)
      #expect((failure == nil) == isClean, "call \(call) of \(trial.faults.log)")
      if let failure {
        #expect(failure.code == .storage)
        #expect(failure.message.hasSuffix(errorText(number)))
      }
      let after = try trial.reopened()
      let live = try after.bytes(.live)
      #expect(operation.outcomes.contains(live), "call \(call) of \(trial.faults.log)")
      // Only when the last step failed, the sync of the directory, may the new image show beside an error.
      let before = trial.faults.log.prefix(call - 1)
      let isLastStep = trial.faults.log.dropFirst(call - 1).first == "sync" && before.contains(operation.change)
      if !isClean, !isLastStep { #expect(live == operation.outcomes.first) }
      #expect(!trial.temporary.names.contains { $0.hasSuffix(".tmp") }, "call \(call) of \(trial.faults.log)")
      return isClean
    }
  }

  @Test(
    "if system calls are interrupted or write only a part, they are repeated until the data is stored",
    arguments: Operation.allCases)
  func interruptions(operation: Operation) throws {
    for accident in [Accident.fails(errno: EINTR), .isShort] {
      try forEachCall { call in
        let trial = try Trial(operation)
        #expect(trial.run([call: accident, call + 1: accident]) == nil, "call \(call) of \(trial.faults.log)")
        #expect(try trial.reopened().bytes(.live) == operation.outcomes.last)
        return trial.isClean(call)
      }
    }
  }

  @Test(
    "if two system calls fail, one of them during the cleanup, the old or the new data is complete",
    arguments: Operation.allCases)
  func doubleFailures(operation: Operation) throws {
    for first in 1...12 {
      for second in first + 1...13 {
        let trial = try Trial(operation)
        _ = trial.run([first: .fails(errno: EIO), second: .fails(errno: EIO)])
        let after = try trial.reopened()
        let newest = try after.bytes(.live) ?? after.bytes(.previous)
        #expect(operation.outcomes.contains(newest), "calls \(first) and \(second) of \(trial.faults.log)")
        try expectNoTemporaries(after, trial)
      }
    }
  }

  @Test("if fsync of a file fails, it is not called again on the same file")
  func syncOnce() throws {
    let trial = try Trial(.commit)
    _ = trial.run([3: .fails(errno: EIO)])
    #expect(trial.faults.log == ["open", "write", "sync", "remove"])
  }

  @Test("data is stored even on a file system that cannot sync a directory")
  func noDirectorySync() throws {
    let trial = try Trial(.commit)
    #expect(trial.run([6: .fails(errno: EINVAL)]) == nil)
    #expect(trial.faults.log == ["open", "write", "sync", "rename", "rename", "sync"])
  }

  @Test("reading stored data fails if a system call fails, and interrupted calls are repeated")
  func reads() throws {
    for (accident, expected) in [
      (Accident.fails(errno: EIO), RemoraError.Code?.some(.storage)), (.fails(errno: EINTR), nil), (.isShort, nil),
    ] {
      try forEachCall { call in
        let trial = try Trial(.commit)
        // Not private, so that it is read and not mapped.
        chmod(trial.temporary.path(fileName(.live)), 0o644)
        trial.faults.arm([call: accident])
        var bytes: ImageBytes?
        let failure = code { bytes = try trial.directory.bytes(.live) }
        let isClean = trial.isClean(call)
        #expect(failure == (isClean ? nil : expected))
        #expect(failure != nil || bytes == image(2))
        return isClean
      }
    }
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

  /// Whatever happened before, the next commit works.
  private func expectCommits(_ directory: StorageDirectory) throws {
    try directory.locked().commit(image(9))
    #expect(try directory.bytes(.live) == image(9))
  }
}

/// What is tried under faults. Before each: previous is image 1, live is image 2.
enum Operation: CaseIterable {
  case commit, stage, promote, reset

  /// What the newest readable image may be, before and after.
  var outcomes: [ImageBytes?] {
    switch self {
    case .commit, .promote: [image(2), image(3)]
    case .stage: [image(2)]
    case .reset: [image(2), nil]
    }
  }

  /// The call that changes the directory.
  var change: String { self == .reset ? "remove" : "rename" }

  /// What may be staged, before and after.
  var staged: [ImageBytes?] {
    switch self {
    case .commit: [nil]
    case .stage, .promote, .reset: [image(3), nil]
    }
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
    lock = try directory.locked()
    for byte in UInt8(1)...2 { try lock.commit(image(byte)) }
    if [.promote, .reset].contains(operation) { try lock.commit(image(3), to: .staged) }
  }

  /// Runs the operation with accidents planned, and answers its error.
  func run(_ accidents: [Int: Accident]) -> RemoraError? {
    faults.arm(accidents)
    do {
      switch operation {
      case .commit: try lock.commit(image(3))
      case .stage: try lock.commit(image(3), to: .staged)
      case .promote: try lock.promoteStaged()
      case .reset: try lock.removeImages()
      }
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
