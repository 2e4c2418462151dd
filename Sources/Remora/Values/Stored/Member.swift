// SPDX-License-Identifier: Apache-2.0

internal import CJansson

/// A member of an object before it is encoded; borrowed from jansson.
struct Member {
  let name: UnsafePointer<CChar>
  let length: Int
  let value: UnsafeMutablePointer<json_t>
  /// The first bytes of the name, the first one highest. They decide most comparisons.
  private let prefix: UInt64

  init(name: UnsafePointer<CChar>, length: Int, value: UnsafeMutablePointer<json_t>) {
    self.name = name
    self.length = length
    self.value = value
    prefix = UnsafeRawBufferPointer(start: name, count: length).prefix(at: 0)
  }

  /// Whether it precedes another member in an object.
  @inline(__always)
  func isBefore(_ other: Member) -> Bool {
    prefix != other.prefix ? prefix < other.prefix : compareBytes(bytes, other.bytes) < 0
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: name, count: length) }

  /// Whether its name is `id`.
  var isID: Bool { length == 2 && prefix == 0x6964 << 48 }
}
