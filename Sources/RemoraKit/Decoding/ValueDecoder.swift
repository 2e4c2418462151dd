// SPDX-License-Identifier: Apache-2.0
//
// Decodes the values of a snapshot in place, without JSON text in between.
// Invariant: a decoder and its containers keep the snapshot of their values.

internal import Remora

/// The decoder of one value.
struct ValueDecoder: Decoder {
  let value: Value
  let snapshot: Snapshot
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: Value, in snapshot: Snapshot, at codingPath: [any CodingKey]) {
    self.value = value
    self.snapshot = snapshot
    self.codingPath = codingPath
  }

  /// Finds the value at a place.
  ///
  /// - Throws: `DecodingError`.
  init(in snapshot: Snapshot, _ key: String, _ pointer: String) throws {
    let path = [PlaceKey(key)] + pointer.split(separator: "/").map { PlaceKey(String($0)) }
    // The value lives as long as the snapshot.
    switch snapshot.find(key, pointer, { $0 }) {
    case .found(let value): self.init(value, in: snapshot, at: path)
    case .absent:
      throw DecodingError.keyNotFound(
        path[path.count - 1], .init(codingPath: path.dropLast(), debugDescription: "There is no value."))
    case .malformed:
      throw DecodingError.dataCorrupted(
        .init(codingPath: path, debugDescription: "The pointer is not a JSON Pointer (RFC 6901)."))
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard value.type == .object else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(KeyedValues(self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard value.type == .array else { throw mismatch([Any].self) }
    return UnkeyedValues(self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleValue(decoder: self) }

  /// Returns a decoder of a part of the value.
  func part(_ value: Value, _ key: any CodingKey) -> ValueDecoder {
    ValueDecoder(value, in: snapshot, at: codingPath + [key])
  }

  /// Decodes the value as a type.
  func decoded<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
    guard let scalar = type as? any Scalar.Type else { return try type.init(from: self) }
    guard let decoded = try self.scalar(scalar) as? Decoded else { throw mismatch(type) }
    return decoded
  }

  private func scalar<Wanted: Scalar>(_ type: Wanted.Type) throws -> Wanted {
    guard Wanted.accepts(value.type) else { throw mismatch(type) }
    guard let wanted = Wanted(value) else {
      throw DecodingError.dataCorrupted(context("The number cannot be represented exactly as \(type)."))
    }
    return wanted
  }

  /// Returns the error for a value of another type than the wanted one.
  private func mismatch(_ type: Any.Type) -> DecodingError {
    if value.type == .null { return .valueNotFound(type, context("The value is null.")) }
    return .typeMismatch(type, context("The value is \(value.type.name)."))
  }

  private func context(_ text: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath, debugDescription: text)
  }
}

/// A key of the place that is decoded, or an index of an array.
struct PlaceKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ text: String) { (stringValue, intValue) = (text, nil) }
  init(_ index: Int) { (stringValue, intValue) = ("Index \(index)", index) }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { self.init(intValue) }
}
