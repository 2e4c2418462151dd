// SPDX-License-Identifier: Apache-2.0
//
// The queue of jobs for later times: its order, its clocks, and removal.

import Testing

@testable import Remora

@Suite("Jobs of the engine thread for later times")
struct TimersTests {
  private final class Number: HeapMember {
    let value: Int
    var heapPosition: Int?

    init(_ value: Int) { self.value = value }

    func precedes(_ other: Number) -> Bool { value < other.value }
  }

  @Test(
    "a heap returns its members in order, however they were inserted and removed", arguments: [1, 2, 3, 10, 100, 999])
  func heap(count: Int) {
    let numbers = (0..<count).map { Number($0 * 7919 % count) }
    var heap = Heap<Number>()
    for number in numbers { heap.insert(number) }
    let removed = numbers.filter { $0.value % 3 == 1 }
    let areRemoved = removed.map { heap.remove($0) }
    #expect(areRemoved.allSatisfy { $0 })
    var rest: [Int] = []
    while let first = heap.first {
      heap.remove(first)
      rest.append(first.value)
    }
    #expect(rest == numbers.map(\.value).filter { $0 % 3 != 1 }.sorted())
    #expect(heap.isEmpty)
    #expect(numbers.allSatisfy { $0.heapPosition == nil })
  }

  @Test("a heap does not remove an object that it does not contain, even if another heap contains the object")
  func otherHeap() {
    var (parent, child) = (Heap<Number>(), Heap<Number>())
    let (old, new) = (Number(1), Number(2))
    parent.insert(old)
    child.insert(new)
    let areRemoved = [old, new, new, old].map { child.remove($0) }
    #expect(areRemoved == [false, true, false, false])
    #expect(parent.first === old)
  }

  /// The timers of a worker, and the names of the jobs that have run.
  private struct Stage {
    var timers = Worker.Timers()
    let ran = Box<[String]>([])

    mutating func add(_ name: String, _ dueMs: Int64, _ clock: HostClock? = nil) -> Worker.Timer {
      let timer = Worker.Timer(dueMs: dueMs, clock: clock) { [ran] _ in ran.update { $0.append(name) } }
      timers.add(timer)
      return timer
    }

    /// Runs the jobs that are due. Returns their names.
    mutating func run(at machineMs: Int64) -> [String] {
      for job in timers.removeDue(machineMs) { Runtime.shared.worker.perform(job) }
      return ran.update { names in
        defer { names = [] }
        return names
      }
    }
  }

  /// Checks which jobs are due.
  private func expect(_ stage: inout Stage, at machineMs: Int64, _ names: [String]) {
    let ran = stage.run(at: machineMs)
    #expect(ran == names)
  }

  @Test("jobs run in the order of their times, and jobs for the same time in the order in which they were queued")
  func order() {
    var stage = Stage()
    for (name, dueMs) in [("c", 30), ("a", 10), ("b1", 20), ("b2", 20), ("d", 40), ("b3", 20)] as [(String, Int64)] {
      _ = stage.add(name, dueMs)
    }
    expect(&stage, at: 9, [])
    #expect(stage.timers.nextDueMs == 10)
    expect(&stage, at: 30, ["a", "b1", "b2", "b3", "c"])
    #expect(stage.timers.nextDueMs == 40)
    expect(&stage, at: 40, ["d"])
    #expect(stage.timers.isEmpty)
  }

  @Test("jobs by the clocks of hosts run when these clocks have changed, in one order with the other jobs")
  func clocks() {
    var stage = Stage()
    let clocks = (0..<2).map { _ in HostClock(HostTime(wallMs: 0, monotonicMs: 0)) }
    func set(_ index: Int, _ ms: Int64) {
      clocks[index].store(HostTime(wallMs: 0, monotonicMs: ms), ofUpdate: clocks[index].beginUpdate())
    }
    _ = stage.add("first 20", 20, clocks[0])
    _ = stage.add("machine 20", 20)
    _ = stage.add("second 10", 10, clocks[1])
    _ = stage.add("second 20", 20, clocks[1])
    #expect(stage.timers.nextDueMs == 20)
    expect(&stage, at: 19, [])
    set(1, 10)
    expect(&stage, at: 19, ["second 10"])
    set(0, 25)
    set(1, 25)
    expect(&stage, at: 20, ["first 20", "machine 20", "second 20"])
    #expect(stage.timers.isEmpty)
  }

  @Test("a job that is removed from the queue never runs, and its queue holds neither the job nor its clock")
  func removal() {
    var stage = Stage()
    let clock = HostClock(HostTime(wallMs: 0, monotonicMs: 0))
    weak var held: HostClock?
    do {
      let other = HostClock(HostTime(wallMs: 0, monotonicMs: 100))
      held = other
      let timers = [stage.add("a", 10), stage.add("b", 10), stage.add("c", 0, clock), stage.add("d", 0, other)]
      for timer in [timers[0], timers[3], timers[0]] { stage.timers.remove(timer) }
    }
    #expect(held == nil)
    expect(&stage, at: 10, ["c", "b"])
    #expect(stage.timers.isEmpty)
  }
}
