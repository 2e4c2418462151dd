// SPDX-License-Identifier: Apache-2.0
//
// The members of an object, for decoding.

internal import Remora

/// The keyed container of an object.
struct KeyedValues<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let decoder: ValueDecoder

  /// Creates the container of an object.
  init(_ decoder: ValueDecoder) { self.decoder = decoder }

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] {
    (0..<decoder.value.count).compactMap { index in
      decoder.value.member(at: index).flatMap { Key(stringValue: String(decoding: $0.name, as: UTF8.self)) }
    }
  }

  func contains(_ key: Key) -> Bool { member(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try part(key).value.type == .null }

  func decode<Decoded: Decodable>(_ type: Decoded.Type, forKey key: Key) throws -> Decoded {
    try part(key).decoded(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try part(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try part(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try superDecoder(named: PlaceKey("super")) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(named: key) }

  private func superDecoder(named key: any CodingKey) throws -> any Decoder { try part(key) }

  private func member(_ key: any CodingKey) -> Value? {
    key.stringValue.withBytes { decoder.value.member(named: $0) }
  }

  private func part(_ key: any CodingKey) throws -> ValueDecoder {
    guard let value = member(key) else {
      let text = "There is no member \"\(key.stringValue)\"."
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: text))
    }
    return decoder.part(value, key)
  }
}
