// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Remora

@Suite("Lock")
struct LockTests {
  @Test("a wait ends at its deadline when nobody signals")
  func deadline() {
    let lock = Lock()
    let start = monotonicMs()
    let inTime = lock.withLock { lock.wait(untilMonotonicMs: start + 20) }
    #expect(!inTime)
    #expect(monotonicMs() >= start + 20)
  }
}
