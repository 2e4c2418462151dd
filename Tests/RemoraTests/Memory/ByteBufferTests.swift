// SPDX-License-Identifier: Apache-2.0
//
// Growth and reservation of byte buffers.

import CTestSupport
import Testing

@testable import Remora

@Suite("Growing byte buffers")
struct ByteBufferTests {
  @Test("a buffer keeps its content while it grows from allocated to mapped memory")
  func growth() throws {
    var buffer = ByteBuffer()
    for number in 0..<400_000 { try append(UInt64(number), to: &buffer) }
    #expect(buffer.count == 3_200_000)
    let image = try buffer.intoImageBuffer()
    #expect(image.bytes.count == 3_200_000)
    for number in stride(from: 0, to: 400_000, by: 997) {
      #expect(image.bytes.load(fromByteOffset: number * 8, as: UInt64.self) == UInt64(number))
    }
  }

  @Test("reserved bytes need no memory until they are written", .forks, .memory)
  func reservation() throws {
    let status = inForkedChild {
      _ = test_peak_growth()
      var buffer = ByteBuffer()
      guard (try? buffer.reserve(256 << 20)) != nil, (try? buffer.append(1)) != nil else { return 1 }
      return test_peak_growth() < 4 << 20 ? 0 : 2
    }
    #expect(status == 0)
  }

  @Test("a buffer is never larger than its limit")
  func limit() throws {
    var buffer = ByteBuffer(limit: 3_000_000)
    try buffer.appendZeros(2_999_999)
    try buffer.append(1)
    #expect(throws: RemoraError(.tooLarge, "the document exceeds the limit of 3000000 bytes in memory")) {
      try buffer.append(1)
    }
    #expect(buffer.count == 3_000_000)
  }

  private func append(_ number: UInt64, to buffer: inout ByteBuffer) throws {
    try buffer.extend(by: 8).storeBytes(of: number, as: UInt64.self)
  }
}
