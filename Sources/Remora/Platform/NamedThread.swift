// SPDX-License-Identifier: Apache-2.0
//
// Threads of the library: named, and with all signals blocked, so that signal handlers run on the host's threads. They
// run inside the fork gate.

internal import CSupport
internal import Glibc

/// A running thread of the library.
package struct NamedThread: Sendable {
  private let handle: pthread_t

  /// Starts a thread; `name` has at most 15 bytes.
  ///
  /// - Throws: `.unavailable` if the system cannot create a thread.
  package static func start(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(RemoraError) -> NamedThread {
    let box = UnsafeMutablePointer<Start>.allocate(capacity: 1)
    box.initialize(to: Start(name: name, body: body))
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    var handle = pthread_t()
    let failure = pthread_create(&handle, nil, run, box)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard failure == 0 else {
      box.deinitialize(count: 1)
      box.deallocate()
      throw RemoraError(.unavailable, "the thread \(name) cannot be started: \(errorText(failure))")
    }
    return NamedThread(handle: handle)
  }

  /// Whether the calling thread is this thread.
  package var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }

  /// Waits until the thread ends, at most until the monotonic time. Returns whether it ended.
  package func join(untilMonotonicMs deadline: Int64) -> Bool {
    let left = max(0, deadline.addingClamped(-monotonicMs()))
    return remora_thread_join(handle, left) == 0
  }

  /// Makes the thread free itself at its end; it can no longer be joined.
  package func detach() { pthread_detach(handle) }
}

/// The arguments of a new thread: its name and its work.
private struct Start {
  let name: String
  let body: @Sendable () -> Void
}

/// The main function of each thread. It is all that runs outside the gate, so it uses nothing that might take a lock.
private func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  remora_fork_gate_enter()
  runInside(argument)
  remora_fork_gate_leave()
  return nil
}

private func runInside(_ argument: UnsafeMutableRawPointer?) {
  guard let box = argument?.assumingMemoryBound(to: Start.self) else { return }
  let start = box.move()
  box.deallocate()
  remora_thread_set_name(start.name)
  start.body()
}
