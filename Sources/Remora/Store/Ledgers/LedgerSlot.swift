// SPDX-License-Identifier: Apache-2.0
//
// One slot of a ledger file: 512 bytes with one state of a ledger and its checksum.
// Invariant: a slot is accepted only if it was written completely, in this format and byte order.

/// The bytes of a slot, and a position in them. Layout: magic, format, kind, sequence, fields, zeros, checksum.
struct LedgerSlot {
  /// The size of a slot: one sector, so that a torn write cannot damage the other slot.
  static var size: Int { 512 }
  /// "rmrledg1" in the byte order of this machine; a slot in the other byte order does not match.
  private static var magic: UInt64 { 0x3167_6465_6c72_6d72 }
  private static var format: UInt32 { 1 }
  private static var checksumAt: Int { size - 8 }

  enum Content<Ledger: LedgerFields> {
    /// Never written, torn, or not a ledger.
    case invalid
    /// Valid, but of a later format: must not be overwritten.
    case newer
    case valid(sequence: UInt64, Ledger)
  }

  private var bytes: [UInt8]
  private var place = 0
  private let isReading: Bool

  static func encode<Ledger: LedgerFields>(_ ledger: Ledger, sequence: UInt64) -> [UInt8] {
    var slot = LedgerSlot(bytes: [UInt8](repeating: 0, count: size), isReading: false)
    var magic = magic
    var format = format
    var kind = Ledger.kind
    var sequence = sequence
    var ledger = ledger
    slot.field(&magic)
    slot.field(&format)
    slot.field(&kind)
    slot.field(&sequence)
    ledger.visit(&slot)
    slot.place = checksumAt
    var checksum = slot.checksum
    slot.field(&checksum)
    return slot.bytes
  }

  /// Decodes the bytes of a slot.
  static func decode<Ledger: LedgerFields>(_ bytes: ArraySlice<UInt8>) -> Content<Ledger> {
    guard bytes.count == size else { return .invalid }
    var slot = LedgerSlot(bytes: Array(bytes), isReading: true)
    slot.place = checksumAt
    var (checksum, magic, sequence): (UInt64, UInt64, UInt64) = (0, 0, 0)
    var (format, kind): (UInt32, UInt32) = (0, 0)
    slot.field(&checksum)
    slot.place = 0
    slot.field(&magic)
    slot.field(&format)
    slot.field(&kind)
    slot.field(&sequence)
    guard magic == Self.magic, checksum == slot.checksum else { return .invalid }
    if format > Self.format { return .newer }
    guard format == Self.format, kind == Ledger.kind else { return .invalid }
    var ledger = Ledger()
    ledger.visit(&slot)
    return .valid(sequence: sequence, ledger)
  }

  /// Reads or writes a field, as `isReading` says, so that a ledger lists its fields once for both directions.
  mutating func field<Number: FixedWidthInteger & BitwiseCopyable>(_ value: inout Number) {
    let end = place + MemoryLayout<Number>.size
    if isReading {
      value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: Number.self) }
    } else {
      bytes.withUnsafeMutableBytes { $0.storeBytes(of: value, toByteOffset: place, as: Number.self) }
    }
    place = end
  }

  mutating func field(_ value: inout Bool) {
    var number: UInt8 = value ? 1 : 0
    field(&number)
    value = number != 0
  }

  /// Reads or writes a string; one that is longer than `maximum` bytes becomes empty.
  mutating func field(_ value: inout String, maximum: Int) {
    var count = value.utf8.count <= maximum ? UInt16(value.utf8.count) : 0
    field(&count)
    let range = place..<place + min(Int(count), maximum)
    if isReading {
      value = String(validating: bytes[range], as: UTF8.self) ?? ""
    } else if count > 0 {
      bytes.replaceSubrange(range, with: value.utf8)
    }
    place += maximum
  }

  private var checksum: UInt64 {
    bytes.withUnsafeBytes { hash64(UnsafeRawBufferPointer(rebasing: $0[..<Self.checksumAt])) }
  }
}
