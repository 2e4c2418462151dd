// SPDX-License-Identifier: Apache-2.0
//
// The elements of an array, and a value by itself, for decoding.

internal import Remora

/// The unkeyed container of an array.
struct UnkeyedValues: UnkeyedDecodingContainer {
  private let decoder: ValueDecoder
  private(set) var currentIndex = 0

  /// Creates the container of an array.
  init(_ decoder: ValueDecoder) { self.decoder = decoder }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { decoder.value.count }
  var isAtEnd: Bool { currentIndex >= decoder.value.count }

  mutating func decodeNil() throws -> Bool {
    guard try part(Never.self).value.type == .null else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
    try next(type) { try $0.decoded(type) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next(KeyedDecodingContainer<Nested>.self) { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }

  /// Decodes the current element, and moves to the next one unless decoding failed.
  private mutating func next<Decoded>(
    _ type: Any.Type, _ decode: (ValueDecoder) throws -> Decoded
  ) throws -> Decoded {
    let decoded = try decode(part(type))
    currentIndex += 1
    return decoded
  }

  private func part(_ type: Any.Type) throws -> ValueDecoder {
    let key = PlaceKey(currentIndex)
    guard let value = decoder.value.element(at: currentIndex) else {
      let context = DecodingError.Context(
        codingPath: codingPath + [key], debugDescription: "The array has no more elements.")
      throw DecodingError.valueNotFound(type, context)
    }
    return decoder.part(value, key)
  }
}

/// The container of one value.
struct SingleValue: SingleValueDecodingContainer {
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value.type == .null }

  func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded { try decoder.decoded(type) }
}
