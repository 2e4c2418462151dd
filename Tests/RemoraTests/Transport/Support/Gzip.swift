// SPDX-License-Identifier: Apache-2.0
//
// Gzip bytes for the tests: stored blocks, and a bomb of zeros.

/// A gzip member that holds the bytes as they are.
func gzipStored(_ bytes: [UInt8]) -> [UInt8] {
  var out = gzipHeader
  var rest = bytes[...]
  repeat {
    let block = rest.prefix(0xFFFF)
    rest = rest.dropFirst(block.count)
    let length = UInt16(block.count)
    out.append(rest.isEmpty ? 1 : 0)
    out += littleEndian(length) + littleEndian(~length) + block
  } while !rest.isEmpty
  return out + littleEndian(crc32(bytes)) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
}

/// About `count` zeros in about 1/160 of the bytes, without a trailer: it is to be stopped before.
func gzipBomb(zeros count: Int) -> [UInt8] {
  var bits = BitWriter(bytes: gzipHeader)
  bits.append([1, 1, 0])  // the last block, fixed Huffman codes
  bits.append([0, 0, 1, 1, 0, 0, 0, 0])  // a zero
  for _ in 0..<count / 258 {
    bits.append([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0])  // 258 bytes from distance 1
  }
  return bits.bytes
}

private let gzipHeader: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

private struct BitWriter {
  var bytes: [UInt8]
  private var used = 8

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func append(_ bits: [UInt8]) {
    for bit in bits {
      if used == 8 {
        bytes.append(0)
        used = 0
      }
      bytes[bytes.count - 1] |= bit << used
      used += 1
    }
  }
}

private func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
  withUnsafeBytes(of: number.littleEndian) { Array($0) }
}

private func crc32(_ bytes: [UInt8]) -> UInt32 {
  var sum = UInt32.max
  for byte in bytes {
    sum ^= UInt32(byte)
    for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
  }
  return ~sum
}
