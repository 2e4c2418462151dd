// SPDX-License-Identifier: Apache-2.0
//
// The decoder beside forks and without threads.

import Testing

@testable import Remora

@Suite("The thread that decodes large responses")
struct DecoderTests {
  @Test("fork waits until a running decoding ends, and the child can decode by itself", .forks)
  func fork() async {
    await #expect(processExitsWith: .success) {
      let runtime = Runtime.shared
      let (isHeld, isReleased, ended) = (Box(false), Box(false), Box(0))
      try runtime.lock.withLock { locked throws(RemoraError) in
        runtime.handleForks(locked)
        try runtime.startWorker(locked)
        runtime.decoder.enqueue(locked) {
          isHeld.update { $0 = true }
          // Spins, because a fork may happen during a wait.
          _ = waitUntil { isReleased.read { $0 } }
          return { _ in ended.update { $0 += 1 } }
        }
      }
      try #require(isHeld.wait { $0 })
      let inChild = Box(false)
      let status = Box<Int32?>(nil)
      let forking = try NamedThread.startAsHost(name: "test-fork") {
        let ended = inForkedChild {
          do {
            try runtime.lock.withLock { locked throws(RemoraError) in
              try runtime.startWorker(locked)
              runtime.decoder.enqueue(locked) { { _ in inChild.update { $0 = true } } }
            }
          } catch {
            return 2
          }
          return inChild.wait { $0 } ? 0 : 1
        }
        status.update { $0 = ended }
      }
      isReleased.update { $0 = true }
      try #require(status.wait { $0 != nil })
      try #require(status.read { $0 } == 0)
      // The parent's work has one result.
      try #require(ended.wait { $0 == 1 })
      try #require(forking.join(untilMonotonicMs: monotonicMs() + longestWaitMs))
    }
  }

  @Test("if the decoder thread cannot be started, decoding runs on the engine thread")
  func withoutThread() {
    let runtime = runtimeWithoutThreads
    let steps = Box<[String]>([])
    runtime.lock.withLock { locked in
      #expect(throws: Never.self) { try runtime.worker.startIfNeeded(locked) }
      runtime.decoder.enqueue(locked) {
        steps.update { $0.append("work") }
        return { _ in steps.update { $0.append("result") } }
      }
    }
    #expect(runtime.worker.runNextJob())
    #expect(steps.read { $0 } == ["work"])
    #expect(runtime.worker.runNextJob())
    #expect(steps.read { $0 } == ["work", "result"])
    #expect(!runtime.worker.runNextJob())
  }
}

extension DecoderTests {
  @Test(
    "while decoding runs on the engine thread, because the decoder thread could not start, no decoder thread starts")
  func startLater() throws {
    let (starts, steps) = (Box(0), Box<[String]>([]))
    let (isHeld, isReleased) = (Box(false), Box(false))
    var services = ProcessServices()
    services.startThread = { name, body throws(RemoraError) in
      let isFirst = starts.update { count -> Bool in
        count += name == "remora-decoder" ? 1 : 0
        return count == 1
      }
      guard name != "remora-decoder" || !isFirst else { throw RemoraError(.unavailable, "no thread") }
      return try NamedThread.start(name: name, body)
    }
    services.setForkHandlers = {}
    services.setExitHandler = { () throws(RemoraError) in }
    let runtime = Runtime(services)
    func decode(_ step: String, _ work: @escaping @Sendable () -> Void = {}) {
      runtime.lock.withLock { locked in
        runtime.decoder.enqueue(locked) {
          work()
          steps.update { $0.append(step) }
          return nil
        }
      }
    }
    try runtime.lock.withLock { locked throws(RemoraError) in try runtime.worker.startIfNeeded(locked) }
    decode("first") {
      isHeld.update { $0 = true }
      _ = isReleased.wait { $0 }
    }
    try #require(isHeld.wait { $0 })
    decode("second")
    #expect(starts.read { $0 } == 1)
    isReleased.update { $0 = true }
    #expect(steps.wait { $0 == ["first", "second"] })
    #expect(runtime.lock.wait(while: { runtime.decoder.isReplaced($0) }))
    decode("third")
    #expect(steps.wait { $0 == ["first", "second", "third"] })
    #expect(starts.read { $0 } == 2)
    keptRuntimes.update { $0.append(runtime) }
  }
}

/// Kept, as its locks are: they live as long as the process.
private let runtimeWithoutThreads: Runtime = {
  var services = ProcessServices()
  services.startThread = nil
  services.setForkHandlers = {}
  services.setExitHandler = { () throws(RemoraError) in }
  return Runtime(services)
}()

/// Runtimes whose threads run as long as the process.
private let keptRuntimes = Box<[Runtime]>([])
