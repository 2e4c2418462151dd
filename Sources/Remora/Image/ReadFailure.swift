// SPDX-License-Identifier: Apache-2.0
//
// The reason a read found no value of the wanted type. Computed after a read has failed, so it may be slow.

extension Finding {
  /// Returns the reason a read failed.
  ///
  /// - Parameter wanted: The requested type with its article, such as "a string".
  package func failure(
    at key: UnsafeRawBufferPointer, _ pointer: UnsafeRawBufferPointer?, wanted: StaticString
  ) -> RemoraError {
    do throws(RemoraError) {
      try requireKey(key)
      let text = pointer.flatMap { String(validating: $0, as: UTF8.self) }
      guard text != nil || pointer == nil else { throw .invalidArgument("pointer", "is not valid UTF-8") }
      return failure(at: key, text ?? "", wanted: wanted)
    } catch {
      return error
    }
  }

  private func failure(at key: UnsafeRawBufferPointer, _ pointer: String, wanted: StaticString) -> RemoraError {
    // A long key is truncated.
    let key = "key \"\(String(decoding: key.prefix(200), as: UTF8.self))\""
    let place = pointer.isEmpty ? key : "\(key) at \(pointer)"
    return switch self {
    case .malformed: .malformedPointer(pointer)
    case .found(let value) where value.type != .null:
      RemoraError(.wrongType, "\(place) is \(value.type.name), not \(wanted)")
    case .found: RemoraError(.notFound, "\(place) is null")
    case .absent where pointer.isEmpty: RemoraError(.notFound, "there is no \(key)")
    case .absent: RemoraError(.notFound, "\(key) does not exist, or has no value at \(pointer)")
    }
  }
}
