// SPDX-License-Identifier: Apache-2.0
//
// The jobs for later times, ordered by their times. They are accessed with the engine lock held only.

extension Worker {
  /// A job for a later time.
  ///
  /// `@unchecked Sendable`: the variables are accessed with the engine lock held only.
  final class Timer: HeapMember, @unchecked Sendable {
    let dueMs: Int64
    /// The host's clock; nil means the machine's. The clock of a host changes with the engine lock held only.
    let clock: HostClock?
    let job: Job
    /// The number of timers that were added before.
    fileprivate var order = 0
    var heapPosition: Int?

    init(dueMs: Int64, clock: HostClock? = nil, job: @escaping Job) {
      self.dueMs = dueMs
      self.clock = clock
      self.job = job
    }

    func precedes(_ other: Timer) -> Bool { (dueMs, order) < (other.dueMs, other.order) }
  }

  /// The timers that are not due yet. A timer that is removed is released at once.
  struct Timers {
    private var addedCount = 0
    private var machine = Heap<Timer>()
    /// The timers by the clocks of hosts. Few clients have such a clock.
    private var hosts: [(clock: HostClock, timers: Heap<Timer>)] = []

    init() {}

    var isEmpty: Bool { machine.isEmpty && hosts.isEmpty }

    /// The machine's monotonic time at which the next timer is due.
    var nextDueMs: Int64? { machine.first?.dueMs }

    mutating func add(_ timer: Timer) {
      timer.order = addedCount
      addedCount += 1
      guard let clock = timer.clock else { return machine.insert(timer) }
      if let index = position(of: clock) {
        hosts[index].timers.insert(timer)
      } else {
        hosts.append((clock, Heap()))
        hosts[hosts.count &- 1].timers.insert(timer)
      }
    }

    /// Removes a timer, if it is still queued.
    mutating func remove(_ timer: Timer) {
      guard let clock = timer.clock else {
        machine.remove(timer)
        return
      }
      guard let index = position(of: clock) else { return }
      hosts[index].timers.remove(timer)
      if hosts[index].timers.isEmpty { hosts.remove(at: index) }
    }

    /// Removes the timers that are due. Returns their jobs, sorted by time; those of equal times in the order in which
    /// they were added.
    mutating func removeDue(_ machineMs: Int64) -> [Job] {
      var due = machine.removeDue(machineMs)
      if !hosts.isEmpty {
        for index in hosts.indices { due += hosts[index].timers.removeDue(hosts[index].clock.monotonicMs) }
        hosts.removeAll { $0.timers.isEmpty }
        due.sort { $0.precedes($1) }
      }
      return due.map(\.job)
    }

    private func position(of clock: HostClock) -> Int? { hosts.firstIndex { $0.clock === clock } }
  }
}

extension Heap where Member == Worker.Timer {
  /// Removes the timers that are due. Returns them in their order.
  fileprivate mutating func removeDue(_ nowMs: Int64) -> [Worker.Timer] {
    var due: [Worker.Timer] = []
    while let timer = first, timer.dueMs <= nowMs {
      remove(timer)
      due.append(timer)
    }
    return due
  }
}
