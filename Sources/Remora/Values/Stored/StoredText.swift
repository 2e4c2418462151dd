// SPDX-License-Identifier: Apache-2.0
//
// Writes the canonical JSON of stored values. That of an array or object is copied.

internal import CSupport

extension ByteBuffer {
  /// Appends the canonical JSON of a value.
  package mutating func appendCanonical(_ value: Value) throws(RemoraError) {
    switch value.type {
    case .null: try append("null")
    case .bool: try append(value.bool == true ? "true" : "false")
    case .int: try appendCanonical(value.int ?? 0)
    case .double: try appendCanonical(value.double ?? 0)
    case .string:
      guard let string = value.string else { throw Self.damaged }
      try appendCanonical(string: string)
    case .array, .object:
      guard let text = value.children?.storedText else { throw Self.damaged }
      try append(stored: text)
    }
  }

  /// Appends the canonical JSON of an array or object as it is stored in an image, with the quotes that end strings.
  package mutating func append(stored text: UnsafeRawBufferPointer) throws(RemoraError) {
    remora_copy_with_quotes(try extend(by: text.count), text.baseAddress, text.count)
  }

  private static var damaged: RemoraError { RemoraError(.corrupt, "the stored file is damaged (offset out of range)") }
}
