// SPDX-License-Identifier: Apache-2.0
//
// The types that a single JSON value is decoded as, with their range checks.

internal import Remora

/// A type that a boolean, number or string is decoded as.
protocol Scalar: Decodable {
  /// Returns whether a value of this JSON type can be decoded as this type.
  static func accepts(_ type: ValueType) -> Bool

  /// Converts a value of an accepted type; nil if the conversion is not exact.
  init?(_ value: Value)
}

extension Bool: Scalar {
  static func accepts(_ type: ValueType) -> Bool { type == .bool }
  init?(_ value: Value) {
    guard let bool = value.bool else { return nil }
    self = bool
  }
}

extension String: Scalar {
  static func accepts(_ type: ValueType) -> Bool { type == .string }
  init?(_ value: Value) {
    guard let text = value.text else { return nil }
    self = text
  }
}

extension Double: Scalar {
  static func accepts(_ type: ValueType) -> Bool { type.isNumber }
  init?(_ value: Value) {
    guard let double = value.double else { return nil }
    self = double
  }
}

extension Float: Scalar {
  static func accepts(_ type: ValueType) -> Bool { type.isNumber }
  /// Rounds, because few decimal fractions are exact in any binary type.
  init?(_ value: Value) {
    guard let double = value.double, Float(double).isFinite else { return nil }
    self = Float(double)
  }
}

extension FixedWidthInteger {
  static func accepts(_ type: ValueType) -> Bool { type.isNumber }
  init?(_ value: Value) {
    guard let int = value.int, let exact = Self(exactly: int) else { return nil }
    self = exact
  }
}

extension Int: Scalar {}
extension Int8: Scalar {}
extension Int16: Scalar {}
extension Int32: Scalar {}
extension Int64: Scalar {}
extension Int128: Scalar {}
extension UInt: Scalar {}
extension UInt8: Scalar {}
extension UInt16: Scalar {}
extension UInt32: Scalar {}
extension UInt64: Scalar {}
extension UInt128: Scalar {}

extension ValueType {
  fileprivate var isNumber: Bool { self == .int || self == .double }
}
